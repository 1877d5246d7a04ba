"""Statistics of paired, replicated, partly unscored outcomes: numbers in, numbers out."""

from stats.arrays import Counts, counts
from stats.bootstrap import bootstrap_interval, resampled_law
from stats.cluster import ClusterSensitivity, cluster_sensitivity
from stats.contrast import Effect, contrast
from stats.evalue import evalue
from stats.interaction import Interaction, interaction
from stats.interval import Interval, bracket, wilson
from stats.lattice import Lattice, lattice
from stats.mcnemar import McNemar, mcnemar, smallest_p
from stats.multiplicity import Adjusted, adjust
from stats.noise import NoiseFloor, RunPair, noise_band, noise_floor
from stats.paired import Paired, paired
from stats.pairs import PairMatrix, all_pairs, tiers
from stats.passk import PassAtK, pass_at_k, pass_hat_k
from stats.power import discordant_at, mde, power, runs_needed, tasks_needed
from stats.rank import RankInterval, best_set, ranks
from stats.score import Score, score
from stats.signflip import SignFlip, signflip
from stats.tango import score_interval, tango
from stats.variance import VarianceParts, effective_size, variance

__all__ = [
    "Adjusted",
    "ClusterSensitivity",
    "Counts",
    "Effect",
    "Interaction",
    "Interval",
    "Lattice",
    "McNemar",
    "NoiseFloor",
    "PairMatrix",
    "Paired",
    "PassAtK",
    "RankInterval",
    "RunPair",
    "Score",
    "SignFlip",
    "VarianceParts",
    "adjust",
    "all_pairs",
    "best_set",
    "bootstrap_interval",
    "bracket",
    "cluster_sensitivity",
    "contrast",
    "counts",
    "discordant_at",
    "effective_size",
    "evalue",
    "interaction",
    "lattice",
    "mcnemar",
    "mde",
    "noise_band",
    "noise_floor",
    "paired",
    "pass_at_k",
    "pass_hat_k",
    "power",
    "ranks",
    "resampled_law",
    "runs_needed",
    "score",
    "score_interval",
    "signflip",
    "smallest_p",
    "tango",
    "tasks_needed",
    "tiers",
    "variance",
    "wilson",
]

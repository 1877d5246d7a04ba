"""Statistics of paired, replicated, partly unscored outcomes: numbers in, numbers out."""

from stats.arrays import Counts, counts
from stats.bootstrap import bootstrap_interval, resampled_law
from stats.contrast import Effect, contrast
from stats.interval import Interval, bracket, wilson
from stats.lattice import Lattice, lattice
from stats.mcnemar import McNemar, mcnemar, smallest_p
from stats.noise import NoiseFloor, RunPair, noise_band, noise_floor
from stats.paired import Paired, paired
from stats.score import Score, score
from stats.signflip import SignFlip, signflip
from stats.tango import tango
from stats.variance import VarianceParts, effective_size, variance

__all__ = [
    "Counts",
    "Effect",
    "Interval",
    "Lattice",
    "McNemar",
    "NoiseFloor",
    "Paired",
    "RunPair",
    "Score",
    "SignFlip",
    "VarianceParts",
    "bootstrap_interval",
    "bracket",
    "contrast",
    "counts",
    "effective_size",
    "lattice",
    "mcnemar",
    "noise_band",
    "noise_floor",
    "paired",
    "resampled_law",
    "score",
    "signflip",
    "smallest_p",
    "tango",
    "variance",
    "wilson",
]

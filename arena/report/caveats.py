"""What a reader should know beside a comparison's interpretation: each a code, a sentence and its figures."""

import math
from collections.abc import Iterator

import stats
from arena.report.discordance import ASSUMED_SHARE
from arena.report.interpret import Figure, Missing, Noise, Reason
from arena.report.outcomes import PanelOutcomes
from arena.report.panel import PanelResult
from arena.report.words import margin
from stats import Effect, Interval

Arms = tuple[PanelOutcomes, PanelOutcomes]
Results = tuple[PanelResult, PanelResult]


def missingness(arms: Arms) -> Missing:
    """Test whether one arm lacks grades where the other has them: tasks are not dropped at random by a budget."""
    lacking = [{place[0] for place in arm.places if math.isnan(arm.grade(place))} for arm in arms]
    only_a, only_b = len(lacking[0] - lacking[1]), len(lacking[1] - lacking[0])
    p = stats.mcnemar(only_a, only_b).p_exact if only_a + only_b else None
    return Missing(only_a, only_b, len(lacking[0] & lacking[1]), p)


def difference_bracket(results: Results) -> Interval:
    """Return the difference of the arms, whatever their unscored episodes would have shown."""
    a, b = (result.bracket for result in results)
    return Interval(b.lo - a.hi, b.hi - a.lo, "bracket", None)


def caveats(arms: Arms, results: Results, effect: Effect, noise: Noise, alpha: float) -> tuple[Reason, ...]:
    """Return everything that weakens or explains the interpretation, in a fixed order."""
    return (
        *_of_noise(results, noise, alpha),
        *_of_intervals(effect, alpha),
        *_of_unscored(results, effect, missingness(arms), alpha),
        *_of_arms(arms, results),
    )


def _of_noise(results: Results, noise: Noise, alpha: float) -> Iterator[Reason]:
    if noise.source == "not_measured":
        yield _not_measured(noise)
    elif noise.source != "both":
        text = f"only {noise.source.upper()} has a measured noise floor; it stands for both"
        yield Reason("noise_floor_of_one_arm", text, {"arm": noise.source, "within": noise.within})
    for name, result in zip("ab", results, strict=True):
        found = result.discordance
        figures: dict[str, Figure] = {"arm": name, "tasks": found.tasks, "agreement_p": found.agreement_p}
        if found.status == "replicates_identical":
            text = f"replicates of {name.upper()} agree on all {found.tasks} tasks: no noise floor, not one of 0"
            yield Reason("replicates_identical", text, figures)
        if found.copies_suspected:
            text = f"replicates of {name.upper()} agree better than independent runs would; are they copies?"
            yield Reason("copies_suspected", text, figures)
        if found.symmetry_p is not None and found.symmetry_p < alpha:
            text = f"one replicate of {name.upper()} is better than another (p = {found.symmetry_p:.4f})"
            yield Reason("replicates_asymmetric", text, {"arm": name, "symmetry_p": found.symmetry_p})


def _not_measured(noise: Noise) -> Reason:
    text = "no arm has replicates that measure a noise floor, so none gates"
    if noise.assumed is None:
        return Reason("noise_floor_not_measured", text)
    lo, hi = noise.assumed.lo, noise.assumed.hi
    shares = f"{ASSUMED_SHARE[0]:.0%} to {ASSUMED_SHARE[1]:.0%} of p(1 - p)"
    text = f"{text}; were the noise {shares}, as on public boards, its band would be {margin(lo)} to {margin(hi)}"
    return Reason("noise_floor_not_measured", text, {"assumed_lo": lo, "assumed_hi": hi})


def _of_intervals(effect: Effect, alpha: float) -> Iterator[Reason]:
    if effect.interval is None or effect.p_exact is None:
        return
    if effect.degenerate:
        yield Reason(
            "interval_degenerate",
            "every task has the same difference, so resampling sees no uncertainty; read the score interval",
            {"paired": len(effect.paired)},
        )
    elif 0 not in effect.interval and effect.p_exact >= alpha:
        yield Reason(
            "bootstrap_excludes_zero_but_exact_test_does_not_reject",
            f"the interval leaves out 0, but the exact test gives p = {effect.p_exact:.4g}; the test decides",
            {"lo": effect.interval.lo, "hi": effect.interval.hi, "p_exact": effect.p_exact},
        )
    if not effect.exact:
        text = "run counts were too uneven to count exactly: p is an upper bound"
        yield Reason("p_is_upper_bound", text, {"p_exact": effect.p_exact})


def _of_unscored(results: Results, effect: Effect, missing: Missing, alpha: float) -> Iterator[Reason]:
    bracket = difference_bracket(results)
    if effect.difference and 0 in bracket:
        text = "with the unscored episodes counted one way or the other the difference may change its sign"
        yield Reason("unscored_can_flip", text, {"lo": bracket.lo, "hi": bracket.hi})
    if missing.p is not None and missing.p < alpha:
        yield Reason(
            "differential_missingness",
            f"{missing.tasks_a} tasks lack a grade only in A and {missing.tasks_b} only in B",
            {"a": missing.tasks_a, "b": missing.tasks_b, "p": missing.p},
        )
    again = [result.attempts.graded_again for result in results]
    if any(again):
        text = "graded episodes were run again; the first grade counts"
        yield Reason("graded_again", text, {"a": again[0], "b": again[1]})


def _of_arms(arms: Arms, results: Results) -> Iterator[Reason]:
    for field, code, what in (
        ("grader_version", "grader_versions_differ", "grader versions"),
        ("limits_kind", "limits_differ", "kinds of resource limits"),
    ):
        kinds = [sorted({getattr(e, field) for e in arm.counting.values()}) for arm in arms]
        if kinds[0] != kinds[1] and all(kinds):
            said = [", ".join(kind) for kind in kinds]
            yield Reason(code, f"{what} differ: {said[0]} in A, {said[1]} in B", {"a": said[0], "b": said[1]})
    weights = [{e.weights_digest for e in arm.counting.values()} for arm in arms]
    seeds = [{e.training_seed for e in arm.counting.values()} - {None} for arm in arms]
    if weights[0] != weights[1] and any(len(of_arm) == 1 for of_arm in seeds):
        text = "the weights differ and come of one training seed: what another would give is not known"
        yield Reason("single_training_seed", text, {"a": len(seeds[0]), "b": len(seeds[1])})
    shares = [result.attempts.rerolled for result in results]
    if any(shares):
        text = f"{shares[0]} places of A and {shares[1]} of B needed more than one attempt"
        yield Reason("rerolled", text, {"a": shares[0], "b": shares[1]})

"""What a difference between two runs may be attributed to: the declared treatment, or more than that."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from arena.errors import UsageError
from arena.records.run import RunRecord
from arena.spec.factors import CAUSES, UNRECORDED, Difference, Factor, differing, for_suite, under

AttributionStatus = Literal["attributable", "confounded", "vacuous", "unrecorded"]

NO_FACTORS = Difference("factors", "design", UNRECORDED, UNRECORDED)
"""A run that recorded no factor at all is not equal to anything."""


@dataclass(frozen=True)
class Attribution:
    """Which factors differ, and whether the treatment alone can have made the difference."""

    status: AttributionStatus
    treatment: str | None
    """Prefix of the factors that were meant to differ."""
    treated: tuple[Difference, ...]
    """Differing factors under the treatment."""
    confounders: tuple[Difference, ...]
    """Differing design and nuisance factors outside of it."""
    unrecorded: tuple[Difference, ...]
    """Factors outside of it that one side or both did not record: unknown is not equal."""
    consequences: tuple[Difference, ...]
    """What follows from factors that differ; listed, and held against nobody."""

    @property
    def reason(self) -> str:
        """Say in one sentence why the status is what it is."""
        if self.status == "attributable":
            return f"only factors under `{self.treatment}` differ"
        if self.status == "vacuous":
            return "no design or nuisance factor differs: this is a noise run"
        if self.status == "unrecorded":
            return f"not recorded by one side or both: {_paths(self.unrecorded)}"
        if self.treatment is None:
            return f"no treatment was declared, and these differ: {_paths(self.confounders)}"
        if not self.treated:
            return f"nothing under `{self.treatment}` differs, but these do: {_paths(self.confounders)}"
        return f"these differ besides `{self.treatment}`: {_paths(self.confounders)}"


def attribute(a: RunRecord, b: RunRecord, suite: str, treatment: str | None) -> Attribution:
    """Say what the difference of two runs on one suite may be attributed to.

    A treatment that names what a stage made (`trained`) covers every section of the cell that it was made from.
    """
    if not a.factors or not b.factors:
        return Attribution("unrecorded", treatment, (), (), (NO_FACTORS,), ())
    differences = differing(for_suite(a.factors, suite), for_suite(b.factors, suite))
    covered = _covered(treatment, (*a.factors, *b.factors))
    treated, confounders = _split((*differences.design, *differences.nuisance), covered)
    hidden, unrecorded = _split(differences.unrecorded, covered)
    if not treated:
        # Nobody knows whether the treatment took place.
        unrecorded = (*hidden, *unrecorded)
    return Attribution(
        status=_status(treated, confounders, unrecorded),
        treatment=treatment,
        treated=(*treated, *hidden) if treated else (),
        confounders=confounders,
        unrecorded=unrecorded,
        consequences=differences.consequences,
    )


def _status(
    treated: tuple[Difference, ...], confounders: tuple[Difference, ...], unrecorded: tuple[Difference, ...]
) -> AttributionStatus:
    if confounders:
        return "confounded"
    if unrecorded:
        return "unrecorded"
    return "attributable" if treated else "vacuous"


def _covered(treatment: str | None, factors: Iterable[Factor]) -> tuple[str, ...]:
    """Return the prefixes that a treatment covers; raises `UsageError` for one that names no factor."""
    if treatment is None:
        return ()
    known = list(factors)
    named = [factor for factor in known if under(factor.path, treatment)]
    if not named:
        heads = sorted({factor.path.split(".", maxsplit=1)[0] for factor in known})
        near = difflib.get_close_matches(treatment, [factor.path for factor in known] + heads, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"treatment {treatment!r}: no factor has this prefix; {hint}factors begin with {', '.join(heads)}"
        )
    causes = {cause for factor in named for cause in CAUSES.get(factor.of or "", ())}
    return (treatment, *sorted(causes))


def _split(
    differences: Iterable[Difference], prefixes: tuple[str, ...]
) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    inside: list[Difference] = []
    outside: list[Difference] = []
    for difference in differences:
        (inside if any(under(difference.path, prefix) for prefix in prefixes) else outside).append(difference)
    return tuple(inside), tuple(outside)


def _paths(differences: Iterable[Difference]) -> str:
    return ", ".join(f"`{difference.path}`" for difference in differences)

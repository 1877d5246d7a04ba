"""A claim: what is expected of a comparison, said before the treatment arm's first scored episode."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from arena.spec.invalid import wrong
from arena.spec.model import Frozen, Name, SuiteName, Text

Correction = Literal["none", "holm", "bh"]


class Claim(Frozen):
    id: Name
    """The claim's name within its study; it is locked under this name."""
    treatment: Name
    """The cell that is claimed to differ."""
    comparator: Name
    """The cell that it is compared with."""
    suite: SuiteName
    """The suite on which they are compared."""
    metric: Text = "resolved/scored"
    """The score's definition by name."""
    direction: Literal["improves", "regresses", "equivalent"] = "improves"
    """What the treatment is claimed to do to the score."""
    margin: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest difference that counts, as a share of the tasks: 0.02 is two points; `equivalent` needs one above 0."""
    factor: Text | None = None
    """The factor that is claimed to be the cause, such as `recipe`: all that differs must lie under it."""
    family: Name = "main"
    """Claims of one family are corrected together."""
    correction: Correction = "holm"
    """How the family's tests are corrected; one for a whole family."""
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Error rate of the family; one for a whole family."""

    @model_validator(mode="after")
    def _makes_sense(self) -> "Claim":
        if self.treatment == self.comparator:
            raise wrong(f"treatment and comparator are the same cell, {self.treatment!r}", ("comparator",))
        if self.direction == "equivalent" and self.margin == 0:
            raise wrong("an equivalence needs a margin above 0, got 0; say how small a difference is none", ("margin",))
        return self


def _consistent(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Refuse an id that stands twice and a family whose claims name two corrections or two error rates."""
    first: dict[str, Claim] = {}
    for index, claim in enumerate(claims):
        if any(claim.id == other.id for other in claims[:index]):
            raise wrong(f"the claim {claim.id!r} stands twice; give one of them another id", (index, "id"))
        head = first.setdefault(claim.family, claim)
        for key in ("correction", "alpha"):
            got, before = getattr(claim, key), getattr(head, key)
            if got != before:
                text = f"the family {claim.family!r} has {key} {before} in claim {head.id!r}, got {got}; one for all"
                raise wrong(text, (index, key))
    return claims


Claims = Annotated[tuple[Claim, ...], AfterValidator(_consistent)]
"""Claims that stand together in a cell or a study."""

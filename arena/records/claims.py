"""The ledger of claims: what was expected, locked before it could be known.

`claims.jsonl` lies beside the runs and belongs to no plan, so that no new run escapes it. Its events:

locked      a claim as it was declared, and what either arm had by then
imported    a claim that another study had declared, by its own account
run         a run of an arm began under the claim
published   what a study itself said of the claim
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from arena.errors import LockedError, RecordError
from arena.records.ledgers import Entry, Ledger
from arena.spec.canonical import digest_of
from arena.spec.claim import Claim
from arena.spec.study import Stop

LEDGER = "claims.jsonl"

Role = Literal["treatment", "comparator"]


@dataclass(frozen=True)
class ArmState:
    """What is known of one arm's panel at a moment."""

    cell: str
    run: str | None
    """The newest run, `cell/digest8`; none yet."""
    scored: int
    """Scored episodes of all of the cell's runs."""
    passed: int
    open_logs: int
    """Logs that a killed or a running process has not closed: there may be scored episodes in them."""
    digest: str | None
    """Over task, replicate, attempt and grade of the newest run's episodes."""

    @property
    def measured(self) -> bool:
        """Whether somebody may know a result."""
        return bool(self.scored or self.open_logs)


@dataclass(frozen=True)
class LockedClaim:
    """A claim as it was locked, and what happened since."""

    scope: str
    """`study:NAME` or `cell:NAME`: where it was declared."""
    claim: Claim
    digest: str
    at: str
    """ISO 8601, UTC."""
    late: bool
    """Whether the treatment may have been measured when the claim was made."""
    imported: bool
    """Whether another study made it; arena did not see when."""
    treatment: ArmState
    comparator: ArmState
    first_runs: Mapping[Role, str]
    """The run of an arm that decides: the newest that began before the arm had a scored episode, or was there."""
    later_runs: tuple[str, ...] = ()
    """Runs of an arm that began when it had been measured: they decide nothing."""
    stop: Stop | None = None
    """When replicates are no longer added; then the e-value decides, since an exact test allows one look only."""
    published_decision: str | None = None
    """What the study itself said, in its own words."""

    @property
    def key(self) -> tuple[str, str]:
        return self.scope, self.claim.id

    @property
    def family(self) -> tuple[str, str]:
        """Claims with the same one are corrected together."""
        return self.scope, self.claim.family


def claim_digest(claim: Claim) -> str:
    """Return the sha256 over everything that a claim says."""
    return digest_of(claim.model_dump(mode="json"))


@dataclass(frozen=True)
class ClaimLedger:
    """All claims on the runs below `root`."""

    root: Path

    def locked(self) -> tuple[LockedClaim, ...]:
        """Return every claim in the order of locking; what was locked first under a name stands."""
        found: dict[tuple[str, str], LockedClaim] = {}
        for number, entry in enumerate(self._ledger.entries(), start=1):
            try:
                _take(found, entry)
            except (KeyError, TypeError, ValidationError) as damage:
                raise RecordError(f"{self._ledger.path}:{number}: not a claim's line ({damage!r})") from None
        return tuple(found.values())

    def lock(
        self,
        scope: str,
        claims: Sequence[Claim],
        arms: Mapping[tuple[str, str], ArmState],
        stop: Stop | None = None,
    ) -> tuple[LockedClaim, ...]:
        """Lock what is declared in `scope`; a claim that is locked already must be unchanged.

        Parameters
        ----------
        scope
            `study:NAME` or `cell:NAME`.
        claims
            Every claim of the scope as it is declared now.
        arms
            By (cell, suite): where it stands before the coming run.
        stop
            When replicates are no longer added; whoever stops as he looks tests otherwise, so it is locked too.

        Raises
        ------
        LockedError
            A locked claim or its stopping rule was changed or removed; nothing was written.
        """
        before = {one.claim.id: one for one in self.locked() if one.scope == scope}
        _refuse_changes(before, claims, stop)
        for claim in claims:
            if claim.id not in before:
                treatment, comparator = (arms[cell, claim.suite] for cell in (claim.treatment, claim.comparator))
                family = sorted(other.id for other in claims if other.family == claim.family)
                more = {"late": treatment.measured, "family": family, "stop": stop and stop.model_dump(mode="json")}
                self._enter("locked", scope, claim, treatment, comparator, **more)
        return tuple(one for one in self.locked() if one.scope == scope)

    def take_over(self, scope: str, claim: Claim, arms: Mapping[tuple[str, str], ArmState], published: str) -> None:
        """Enter a claim that another study made, with the word that it gave itself."""
        treatment, comparator = (arms[cell, claim.suite] for cell in (claim.treatment, claim.comparator))
        self._enter("imported", scope, claim, treatment, comparator, late=False, stop=None)
        self._ledger.append("published", {"scope": scope, "id": claim.id, "decision": published})

    def begin(self, run: str, arms: Mapping[tuple[str, str], ArmState]) -> None:
        """Note that a run begins, under every claim on its cell; once a run."""
        cell = run.rpartition("/")[0]
        noted = {
            (entry.data["scope"], entry.data["id"], entry.data["run"])
            for entry in self._ledger.entries()
            if entry.event == "run"
        }
        for one in self.locked():
            for role in ("treatment", "comparator"):
                if getattr(one.claim, role) == cell and (*one.key, run) not in noted:
                    measured = arms[cell, one.claim.suite].measured
                    data = {"scope": one.scope, "id": one.claim.id, "role": role, "run": run, "measured": measured}
                    self._ledger.append("run", data)

    @property
    def _ledger(self) -> Ledger:
        return Ledger(self.root / LEDGER)

    def _enter(
        self, event: str, scope: str, claim: Claim, treatment: ArmState, comparator: ArmState, **more: object
    ) -> None:
        data = {
            "scope": scope,
            "id": claim.id,
            "claim": claim.model_dump(mode="json"),
            "digest": claim_digest(claim),
            "treatment": asdict(treatment),
            "comparator": asdict(comparator),
            **more,
        }
        self._ledger.append(event, data)


def _refuse_changes(before: Mapping[str, LockedClaim], claims: Sequence[Claim], stop: Stop | None) -> None:
    now = {claim.id: claim for claim in claims}
    for name, locked in before.items():
        if name not in now:
            raise LockedError(
                f"{locked.scope}: the claim {name!r} was locked at {locked.at} and is gone; put it back as it was: "
                f"{_text(locked.claim)}"
            )
        if claim_digest(now[name]) != locked.digest:
            raise LockedError(
                f"{locked.scope}: the claim {name!r} was locked at {locked.at} and was changed since: "
                f"{_changes(locked.claim, now[name])}; change it back, or make a further claim under another id"
            )
        if locked.stop != stop:
            raise LockedError(
                f"{locked.scope}: the claim {name!r} was locked at {locked.at} with stop {_stop(locked.stop)}, got "
                f"{_stop(stop)}; change it back"
            )


def _stop(stop: Stop | None) -> str:
    return "none" if stop is None else _named(stop.model_dump(mode="json"))


def _changes(before: Claim, now: Claim) -> str:
    old, new = before.model_dump(mode="json"), now.model_dump(mode="json")
    return "; ".join(f"{key} was {old[key]!r}, got {new[key]!r}" for key in old if old[key] != new[key])


def _text(claim: Claim) -> str:
    return _named(claim.model_dump(mode="json", exclude_defaults=True))


def _named(said: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in said.items())


def _take(found: dict[tuple[str, str], LockedClaim], entry: Entry) -> None:
    data: Mapping[str, Any] = entry.data
    key = (data["scope"], data["id"])
    if entry.event in ("locked", "imported"):
        if key not in found:
            found[key] = _locked(entry)
    elif entry.event == "run":
        found[key] = _with_run(found[key], data["role"], data["run"], data["measured"])
    elif entry.event == "published":
        found[key] = replace(found[key], published_decision=data["decision"])
    else:
        raise KeyError(entry.event)


def _locked(entry: Entry) -> LockedClaim:
    data = entry.data
    treatment, comparator = ArmState(**data["treatment"]), ArmState(**data["comparator"])
    arms: tuple[tuple[Role, ArmState], ...] = (("treatment", treatment), ("comparator", comparator))
    return LockedClaim(
        scope=data["scope"],
        claim=Claim.model_validate(data["claim"]),
        digest=data["digest"],
        at=entry.at,
        late=data["late"],
        imported=entry.event == "imported",
        treatment=treatment,
        comparator=comparator,
        stop=None if data["stop"] is None else Stop.model_validate(data["stop"]),
        first_runs={role: arm.run for role, arm in arms if arm.run is not None and arm.measured},
    )


def _with_run(locked: LockedClaim, role: Role, run: str, measured: bool) -> LockedClaim:
    if not measured:
        return replace(locked, first_runs={**locked.first_runs, role: run})
    if locked.first_runs.get(role) == run:
        return locked
    return replace(locked, later_runs=(*locked.later_runs, run))

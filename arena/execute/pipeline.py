"""Run a cell: resolve, check, attest, train, package, serve, evaluate, summarise; what is done is not done again."""

import fcntl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arena.errors import ArenaError, CellError
from arena.execute.agent import episode_solver, resolved, task_limits
from arena.execute.attest import Attestation, attest
from arena.execute.budget import Account
from arena.execute.check import check_machine
from arena.execute.claims import lock_claims
from arena.execute.evaluate import Contestant, PanelJob, evaluate
from arena.execute.packaging import Package, package
from arena.execute.panels import limits_kind, planned, replicate_tasks, union_ids
from arena.execute.progress import Progress
from arena.execute.resolve import Resolved, resolve
from arena.execute.run_state import STAGES, RunState
from arena.execute.serve import serve
from arena.execute.serving.serving import Served, ServeSpec
from arena.execute.stopping import Stopping
from arena.execute.summarise import summarise
from arena.execute.train import Trained, TrainSpec, train
from arena.records.ledgers import Ledger
from arena.records.logbook import Logbook
from arena.records.logs import LogContext
from arena.records.run import RunRecord, StageState, load_run
from arena.records.store import Store, stage_key
from arena.spec.canonical import digest_of
from arena.spec.cell import LoadedCell, load_cell
from arena.spec.plugin import load
from arena.spec.study import Study

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer


@dataclass(frozen=True)
class Options:
    """How a run is carried out, which is no part of what it measures."""

    runs: Path
    only: str | None = None
    """One stage; those before it must be done."""
    concurrency: int = 8


class StoppedError(ArenaError):
    """The user or the budget ended the run before it was complete."""


def run_cell(path: Path, options: Options, stopping: Stopping, progress: Progress) -> RunRecord:
    """Run a cell's file; see `run_loaded`."""
    progress.stage("resolve", str(path))
    return run_loaded(load_cell(path), options, stopping, progress)


def run_loaded(
    loaded: LoadedCell, options: Options, stopping: Stopping, progress: Progress, study: Study | None = None
) -> RunRecord:
    """Run a cell from where it stands to its end, or as far as the budget and the user let it.

    Raises
    ------
    CellError
        The cell is wrong or this machine cannot run it; nothing was spent.
    TrainError, ServeError, HarnessError
        A stage failed; the run's record says which, and the same command goes on from there.
    LockedError
        A record of an earlier run, or a claim that is locked, was removed or changed.
    """
    ready = resolve(loaded, options.runs)
    folder = ready.run_folder(options.runs)
    with _run_lock(folder):
        lock_claims(loaded, options.runs, folder, study)
        if finished := _finished(folder):
            progress.stage("done", f"{finished.id} is complete; nothing to do")
            return finished
        state = RunState.open(folder, ready.plan)
        state.ended("running")
        try:
            _Line(ready, state, Store(options.runs / "store"), options, stopping, progress).run()
        except StoppedError as stop:
            state.ended("stopped", str(stop))
        except (Exception, KeyboardInterrupt) as error:
            state.ended("stopped" if isinstance(error, KeyboardInterrupt) else "failed", str(error) or repr(error))
            raise
        return load_run(folder)


@dataclass(frozen=True)
class _Line:
    """The stages of one run, in order."""

    ready: Resolved
    state: RunState
    store: Store
    options: Options
    stopping: Stopping
    progress: Progress

    def run(self) -> None:
        if self.options.only and self.options.only not in STAGES:
            raise CellError(f"--only {self.options.only}: no such stage; stages are {', '.join(STAGES)}")
        self._check()
        attestations = self._attest()
        if self._only("check", "attest"):
            return
        trained = self._train()
        if self._only("train"):
            return
        packed = self._package(trained)
        if self._only("package"):
            return
        try:
            spent = self._evaluate(trained, packed, attestations)
        except StoppedError:
            summarise(self.state, (), self.progress)
            raise
        self.state.ended(*summarise(self.state, spent, self.progress))

    def _only(self, *stages: str) -> bool:
        if self.stopping.reason() == "user":
            raise StoppedError("stopped by the user; the same command goes on from here")
        return self.options.only in stages

    def _check(self) -> None:
        started = time.monotonic()
        found = check_machine(self.ready)
        self.state.stage("check", StageState("", "done", seconds=time.monotonic() - started, record=found))

    def _attest(self) -> Mapping[str, Attestation]:
        started = time.monotonic()
        found = {}
        panels = []
        for declared, panel in zip(self.ready.cell.evaluate, self.ready.panels, strict=True):
            tasks = panel.suite.tasks(union_ids(panel))
            grader = self.ready.sources[panel.suite.scorer].digest
            attestation = attest(panel.suite, tasks, grader, self.store, self.stopping, self.progress)
            found[declared.suite] = attestation
            panels.append(planned(panel, declared.suite, attestation.unscorable))
            self._only()
        record = {
            suite: {"key": one.key, "attested": len(one.attested), "unscorable": dict(one.unscorable)}
            for suite, one in found.items()
        }
        self.state.panels(tuple(panels))
        self.state.stage("attest", StageState("", "done", seconds=time.monotonic() - started, record=record))
        return found

    def _train(self) -> Trained:
        cell, start = self.ready.cell, self.ready.start
        spec = TrainSpec(
            base=start.base,
            base_digest=start.digest,
            trainer=cell.recipe.trainer,
            trainer_digest=self.ready.sources[cell.recipe.trainer].digest,
            parameters=cell.recipe.parameters,
            seed=cell.recipe.seed,
            gpus=cell.budget.gpus,
            hours=cell.budget.hours,
            data=self.ready.data,
            data_digest=self.ready.data_digest,
        )
        with self._stage("train") as done:
            trained = train(spec, self.store, self.progress)
            record = {key: value for key, value in trained.record.items() if key != "history"}
            done(trained.key, f"store/train/{trained.key}", record)
        return trained

    def _package(self, trained: Trained) -> Package:
        cell, start = self.ready.cell, self.ready.start
        checkpoint = trained.checkpoint("final") or start.adapter
        inputs = {"train": trained.key, "base": start.digest, "package": cell.package.model_dump(mode="json")}
        with self._stage("package") as done:
            packed = package(start.base, checkpoint, cell.package.stop_tokens, cell.package.fixes)
            done(stage_key("package", inputs), None, packed.as_record())
            for finding in packed.findings:
                self.progress.stage("package", f"{finding.name}: {finding.found}; {finding.done}")
        return packed

    def _evaluate(self, trained: Trained, packed: Package, attestations: Mapping[str, Attestation]) -> set[str]:
        """Work on every panel that lacks episodes; return the suites whose panel has used up its budget."""
        jobs = [self._job(packed, number, attestations) for number in range(len(self.ready.panels))]
        due = [number for number, job in enumerate(jobs) if job.due()]
        if any(self._panel_stopping(number).reason() is None for number in due):
            _hold(trained, self.store)
            spec = self._spec(packed)
            with self._stage("serve") as served_done, serve(self.ready.cell.serve.engine, spec) as served:
                facts = dict(served.facts)
                served_done(digest_of(facts), None, {"facts": facts})
                with self._stage("evaluate") as done:
                    for number in due:
                        self._panel(number, jobs[number], served, digest_of(facts))
                    done("", None, {"logs": Logbook(self.state.record.folder).digests()})
        return {jobs[number].context.suite for number in due if self._panel_stopping(number).reason() == "budget"}

    def _account(self, number: int) -> Account:
        return Account(self.state.record.folder / "evals" / f".used-{number}.json")

    def _panel_stopping(self, number: int) -> Stopping:
        budget = self.ready.cell.evaluate[number].budget
        return Stopping(self._account(number).deadline_s(budget.hours if budget else None), outer=self.stopping)

    def _panel(self, number: int, job: PanelJob, served: Served, system_digest: str) -> None:
        account, stopping = self._account(number), self._panel_stopping(number)
        harness = self.ready.harness
        contestant = Contestant(
            solver=lambda: episode_solver(harness),
            scorer=cast("Callable[[], Scorer]", load(self.ready.panels[number].suite.scorer))(),
            model=served.model,
            limits=task_limits(harness),
        )
        job = replace(job, context=replace(job.context, system_digest=system_digest), tick=account.tick)
        try:
            evaluate(job, contestant, stopping, self.progress)
        finally:
            account.save()
        if stopping.reason() == "user":
            raise StoppedError("stopped by the user; the same command goes on from here")

    def _job(self, packed: Package, number: int, attestations: Mapping[str, Attestation]) -> PanelJob:
        declared, panel = self.ready.cell.evaluate[number], self.ready.panels[number]
        unscorable = attestations[declared.suite].unscorable
        context = LogContext(
            cell=self.ready.cell.cell,
            plan_digest=self.ready.plan.digest,
            suite=declared.suite,
            sample_digest=planned(panel, declared.suite, unscorable).sample_digest,
            score_definition=panel.suite.score_definition,
            system_digest="unrecorded",
            harness_digest=self._harness_digest(),
            weights_digest=packed.policy_version,
            training_seed=self.ready.cell.recipe.seed,
            grader_version="unrecorded",
            limits_kind=limits_kind(panel),
        )
        return PanelJob(
            suite=panel.suite,
            replicates=replicate_tasks(panel, unscorable),
            retries=declared.retries,
            context=context,
            folder=self.state.record.folder,
            concurrency=self.options.concurrency,
            label=f"evaluate {declared.suite}",
        )

    def _harness_digest(self) -> str:
        named = (self.ready.cell.harness.solver, *self.ready.cell.harness.plugins)
        sources = [self.ready.sources[spec].digest for spec in named]
        return digest_of({"harness": resolved(self.ready.harness), "sources": sources})

    def _spec(self, packed: Package) -> ServeSpec:
        cell = self.ready.cell
        return ServeSpec(
            base=packed.base,
            adapter=packed.adapter,
            stop_token_ids=packed.stop_token_ids,
            policy_version=packed.policy_version,
            tokenizer=packed.tokenizer,
            max_model_len=cell.serve.max_model_len,
            arguments=dict(cell.serve.args),
            generate=cell.generate.model_dump(mode="json"),
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[Callable[[str, str | None, Mapping[str, Any]], None]]:
        """Keep the stage's state: running, then done as the block says, or failed as it raises."""
        started = time.monotonic()
        self.state.stage(name, replace(self.state.record.stages[name], status="running", seconds=None))

        def done(key: str, folder: str | None, record: Mapping[str, Any]) -> None:
            self.state.stage(name, StageState(key, "done", folder, time.monotonic() - started, record))

        try:
            yield done
        except BaseException as error:
            stopped = isinstance(error, StoppedError | KeyboardInterrupt)
            now = replace(self.state.record.stages[name], status="stopped" if stopped else "failed")
            self.state.stage(name, replace(now, seconds=time.monotonic() - started))
            raise


def _hold(trained: Trained, store: Store) -> None:
    """Say in the checkpoint ledger that what is evaluated is kept."""
    ledger = Ledger(store.slot("train", trained.key).folder / "checkpoints.jsonl")
    held = {entry.data["digest"] for entry in ledger.entries() if entry.event == "held"}
    for checkpoint in trained.record["checkpoints"][-1:]:
        if checkpoint["digest"] not in held:
            ledger.append("held", {**checkpoint, "reason": "evaluated"})


def _finished(folder: Path) -> RunRecord | None:
    """Return the run if it is complete and its logs are those that were written."""
    if not (folder / "run.json").exists():
        return None
    Logbook(folder).check()
    run = load_run(folder)
    return run if run.status == "complete" else None


@contextmanager
def _run_lock(folder: Path) -> Iterator[None]:
    """Let one process work on a run at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CellError(
                f"{folder}: another process is working on this run; `arena status` shows how far it is"
            ) from None
        yield

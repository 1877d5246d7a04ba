"""The command line: parse, call one function, print. What an option sets is never part of what is measured."""

import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.records.run import RunRecord
    from arena.report.show import Shown

app = typer.Typer(
    name="arena",
    help="Find out whether a training recipe, a harness or a budget made an agent better, or whether it was noise.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
run_app = typer.Typer(
    no_args_is_help=True, help="Run a cell or a study through every stage; what is done is not done again."
)
publish_app = typer.Typer(no_args_is_help=True, help="Publish results that anyone can recompute.")
app.add_typer(run_app, name="run")
app.add_typer(publish_app, name="publish")

Runs = Annotated[Path, typer.Option("--runs", help="The folder of all runs.", envvar="ARENA_RUNS")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a page.")]
RUNS = Path("runs")


@app.command("init")
def init_command(folder: Annotated[Path, typer.Argument(help="The folder to make.")], as_json: Json = False) -> None:
    """Make a project of one's own: cells, a goal, and a first cell that runs."""
    from arena.execute.project import new_project

    _show(new_project(folder), as_json)


@run_app.command("cell")
def run_cell_command(
    cell: Annotated[Path, typer.Argument(help="The cell's YAML file.")],
    only: Annotated[str | None, typer.Option(help="One stage: check, attest, train, package or evaluate.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at once.")] = 8,
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Train, package, serve and evaluate one cell; go on where an earlier run was stopped."""
    from arena.execute.pipeline import Options, run_cell
    from arena.execute.progress import PlainProgress
    from arena.execute.stopping import Stopping, stop_on_interrupt

    stopping = Stopping()
    with stop_on_interrupt(stopping, _say):
        run = run_cell(cell, Options(runs, only, concurrency), stopping, PlainProgress(_say))
    from arena.report.status import run_status

    _show(run_status(run), as_json)
    if run.status == "stopped":
        _say(f"stopped: {run.message}; go on with: arena run cell {cell}")
        raise typer.Exit(1)


@run_app.command("study")
def run_study_command(
    study: Annotated[Path, typer.Argument(help="The study's YAML file.")],
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at once.")] = 8,
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Run every cell of a study; cells with the same recipe train once."""
    from arena.execute.pipeline import Options
    from arena.execute.progress import PlainProgress
    from arena.execute.stopping import Stopping, stop_on_interrupt
    from arena.execute.study import run_study
    from arena.report.status import RunViews, run_status

    stopping = Stopping()
    with stop_on_interrupt(stopping, _say):
        done = run_study(study, Options(runs, None, concurrency), stopping, PlainProgress(_say))
    _show(RunViews(tuple(run_status(run) for run in done)), as_json)
    if any(run.status == "stopped" for run in done) or stopping.user_asked:
        _say(f"stopped; go on with: arena run study {study}")
        raise typer.Exit(1)


@app.command()
def check(
    what: Annotated[Path, typer.Argument(help="A cell's YAML file.")], runs: Runs = RUNS, as_json: Json = False
) -> None:
    """Refuse what is wrong before anything is spent."""
    from arena.execute.check import check_cell_file

    _show(check_cell_file(what, runs), as_json)


@app.command("attest")
def attest_command(
    suite: Annotated[str, typer.Argument(help="A suite's name, or module:function.")],
    sample: Annotated[str, typer.Option(help="The sample to attest.")] = "all",
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Run the reference solution and a no-op on every task: which can be scored here at all."""
    from arena.execute.attest import attest_suite
    from arena.execute.progress import PlainProgress
    from arena.execute.stopping import Stopping, stop_on_interrupt

    stopping = Stopping()
    with stop_on_interrupt(stopping, _say):
        found = attest_suite(suite, sample, runs, stopping, PlainProgress(_say))
    _show(found, as_json)
    if not found.complete:
        raise typer.Exit(1)


@app.command()
def status(
    run: Annotated[
        str | None, typer.Argument(help="A cell, cell/digest8 or a run's folder; all runs if left out.")
    ] = None,
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Say what runs, what is left and what it took."""
    from arena.report.status import statuses

    _show(statuses(runs, run), as_json)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Say what this machine has and lacks; tries one real sandbox."""
    from arena.execute.doctor import examine

    found = examine()
    _show(found, as_json)
    if not found.healthy:
        raise typer.Exit(1)


@app.command("compare")
def compare_command(
    a: Annotated[str, typer.Argument(help="The reference: a cell, cell/digest8 or a run's folder.")],
    b: Annotated[str, typer.Argument(help="What is compared with it.")],
    treatment: Annotated[
        str | None,
        typer.Option(help="What is meant to differ: a prefix of factors, such as recipe or harness.plugins."),
    ] = None,
    allow_different_tasks: Annotated[bool, typer.Option(help="Compare on the tasks that both have.")] = False,
    runs: Runs = RUNS,
    as_json: Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare two cells, task by task: what differs, by how much, and whether it may be said."""
    from arena.records.run import find_run, load_run
    from arena.report.asked import remember
    from arena.report.compare import Rules, compare
    from arena.report.rollup import decided

    first, second = (load_run(find_run(runs, name)) for name in (a, b))
    found = compare(first, second, treatment, Rules(allow_different_tasks=allow_different_tasks))
    remember(runs, found)
    _keep_noise((first, second))
    _show(decided(found, runs), as_json, as_markdown)


@app.command("rollup")
def rollup_command(runs: Runs = RUNS, as_json: Json = False, as_markdown: Markdown = False) -> None:
    """Put every cell and every panel side by side."""
    from arena.records.claims import ClaimLedger
    from arena.report.asked import answers, asked
    from arena.report.rollup import latest_runs, rollup

    found = latest_runs(runs)
    _keep_noise(found)
    _show(rollup(found, answers(asked(runs), found), ClaimLedger(runs).locked()), as_json, as_markdown)


@publish_app.command("leaderboard")
def publish_leaderboard(
    out: Annotated[Path, typer.Option(help="The folder to write; replaced if a site lies there.")] = Path("site"),
    title: Annotated[str, typer.Option(help="What the pages are called.")] = "arena",
    allow_partial: Annotated[bool, typer.Option(help="Publish runs that are not complete, marked as such.")] = False,
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Write a static site with the rollup, every comparison asked for, and every episode behind every figure."""
    from arena.report.asked import asked
    from arena.report.rollup import latest_runs
    from arena.report.site.publish import publish

    found = publish(
        latest_runs(runs), out, questions=asked(runs), claims=runs, title=title, allow_partial=allow_partial
    )
    _show(found, as_json)


@app.command("verify")
def verify_command(path: Annotated[Path, typer.Argument(help="A published site.")], as_json: Json = False) -> None:
    """Recompute every published figure from the episodes and their logs; exit 1 if one differs."""
    from arena.report.site.verify import verify

    found = verify(path)
    _show(found, as_json)
    if not found.holds:
        raise typer.Exit(1)


@app.command("plan")
def plan_command(
    cells: Annotated[list[str], typer.Argument(help="The reference, then what is compared with it.")],
    effect: Annotated[float, typer.Option(min=0.001, max=1.0, help="Least difference to find, a share of the tasks.")],
    power: Annotated[float, typer.Option(min=0.5, max=0.999, help="Chance with which it should be found.")] = 0.8,
    runs: Runs = RUNS,
    as_json: Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Say how many tasks and replicates an effect needs, and what they would cost, from recorded runs."""
    from arena.records.run import find_run, load_run
    from arena.report.plan import plan

    _show(plan([load_run(find_run(runs, name)) for name in cells], effect, power=power), as_json, as_markdown)


@app.command("import")
def import_command(
    paths: Annotated[list[Path], typer.Argument(help="Logs, reports or job folders of one system.")],
    as_cell: Annotated[str | None, typer.Option(help="The name of the cell that the records become.")] = None,
    suite: Annotated[str | None, typer.Option(help="The suite's name, to compare under.")] = None,
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Read records of other programs; what they do not say is unrecorded."""
    from arena.records.importers.imported import Options
    from arena.records.importers.save import import_records

    _show(import_records(paths, runs, as_cell, Options(suite=suite)), as_json)


@app.command("export")
def export_command(
    form: Annotated[str, typer.Argument(help="swe_bench, eval_arena or every_eval_ever.")],
    run: Annotated[str, typer.Argument(help="A cell, cell/digest8 or a run's folder.")],
    out: Annotated[Path, typer.Option(help="Where to write.")],
    runs: Runs = RUNS,
    as_json: Json = False,
) -> None:
    """Write a run in the form of another program."""
    from arena.records.exporters.export import export
    from arena.records.run import find_run, load_run

    _show(export(form, load_run(find_run(runs, run)), out), as_json)


def _keep_noise(runs: "Sequence[RunRecord]") -> None:
    """Leave each finished run's noise floor beside it, once; here, where the statistics are loaded anyway."""
    from arena.report.noise import write_noise

    for run in runs:
        if run.status == "complete" and not (run.folder / "noise.json").exists():
            write_noise(run)


def _show(result: "Shown", as_json: bool, as_markdown: bool = False) -> None:
    from arena.report.show import show

    show(result, as_json, as_markdown)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Run the command line and end with the designed exit code."""
    try:
        app()
    except ArenaError as error:
        _say(f"error: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("stopped at once; everything scored is kept and the same command goes on from there")
        sys.exit(130)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise
        _say(
            f"error: {error.filename or 'a file'}: {error.strerror}; nothing that was scored is lost: "
            "make room or give rights, then run the same command again"
        )
        sys.exit(1)

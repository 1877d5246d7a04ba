"""Make `tasks.jsonl` from what is written down, or check it: `python -m arena.suites.mini_swe.build --check`."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence

from arena.errors import ArenaError
from arena.suites.mini_swe.check import findings
from arena.suites.mini_swe.definition import Repository, repositories
from arena.suites.mini_swe.rows import MiniSweRow, make_rows
from arena.suites.mini_swe.suite import FOLDER, ROWS, MiniSwe
from arena.suites.swe_bench import read_rows


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m arena.suites.mini_swe.build", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="run the tests with and without each defect, write the rows")
    what.add_argument("--check", action="store_true", help="compare the rows, then grade gold, half and empty patches")
    parser.add_argument("--only", metavar="NAME", help="the tasks of one repository")
    options = parser.parse_args(arguments)
    written = repositories(FOLDER / "repositories")
    chosen = [each for each in written.values() if options.only in (None, each.name)]
    try:
        return write(chosen) if options.write else check(chosen)
    except ArenaError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return error.exit_code


def write(chosen: Iterable[Repository]) -> int:
    """Write the rows of the chosen repositories and keep those of the others."""
    rows = {row.instance_id: row for row in read_rows(ROWS, MiniSweRow)} if ROWS.exists() else {}
    for repository in chosen:
        kept = {name: row for name, row in rows.items() if row.repo != f"mini/{repository.name}"}
        rows = kept | {row.instance_id: row for row in make_rows(repository)}
    ROWS.write_text("".join(f"{line(row)}\n" for _, row in sorted(rows.items())), encoding="utf8")
    print(f"{len(rows)} tasks, digest {MiniSwe().digest()}")
    return 0


def line(row: MiniSweRow) -> str:
    return json.dumps({**row.columns(), "tier": row.tier, "family": row.family}, ensure_ascii=False)


def check(chosen: Iterable[Repository]) -> int:
    """Print what is wrong with the chosen repositories' tasks; return 1 if anything is."""
    held = {row.instance_id: row for row in read_rows(ROWS, MiniSweRow)}
    found = []
    for repository in chosen:
        for row in make_rows(repository):
            problems = findings(repository, row)
            if held.get(row.instance_id) != row:
                problems.append(f"{row.instance_id}: its row is not what its sources give; run with --write")
            print(f"{row.instance_id}: {'; '.join(problems) or 'sound'}")
            found += problems
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

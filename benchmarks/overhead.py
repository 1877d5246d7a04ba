"""CPU seconds of `arena run cell` over those of `inspect eval` on the same 200 episodes, imports included.

Pairs are interleaved and each is a process of its own; its children (the sandboxes) are counted on both sides. The
attestation of the suite is made once before. Prints every pair and the median ratio.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from arena.execute.models import SHIPPED
from arena.spec.weights import weights_digest

HERE = Path(__file__).resolve().parent
CELL = """
cell: words
goal: any
model: {{base: arena/tiny-coder, revision: "sha256:{digest}"}}
serve: {{engine: scripted, args: {{script: "words:script"}}}}
evaluate:
  - {{suite: "words:suite"}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        shutil.copytree(HERE / "overhead_project", project, dirs_exist_ok=True)
        base = HERE.parent / "arena" / "models" / SHIPPED["arena/tiny-coder"]
        (project / "words.yaml").write_text(CELL.format(digest=weights_digest(base).digest))
        arena(project, "--only", "attest")
        shutil.move(project / "runs", project / "attested")
        ratios = []
        for pair in range(1, pairs + 1):
            ours, theirs = both(project, ours_first=pair % 2 == 0)
            ratios.append(ours / theirs)
            print(f"pair {pair}: arena {ours:6.2f} s, inspect {theirs:6.2f} s, ratio {ours / theirs:.3f}", flush=True)
        middle = statistics.median(ratios)
        print(f"median of {pairs}: {middle:.3f} (overhead {100 * middle - 100:+.1f}%)")


def both(project: Path, *, ours_first: bool) -> tuple[float, float]:
    """Return CPU seconds of arena and of Inspect alone."""
    seconds = {}
    for ours in (ours_first, not ours_first):
        shutil.rmtree(project / "runs", ignore_errors=True)
        shutil.rmtree(project / "logs", ignore_errors=True)
        before = used()
        if ours:
            shutil.copytree(project / "attested" / "store", project / "runs" / "store")
            arena(project)
        else:
            inspect_alone(project)
        seconds[ours] = used() - before
    return seconds[True], seconds[False]


def arena(project: Path, *more: str) -> None:
    run(project, [sys.executable, "-m", "arena", "run", "cell", "words.yaml", *more])


def inspect_alone(project: Path) -> None:
    run(project, [sys.executable, "-m", "inspect_ai", "eval", "alone.py", "--display", "none", "--max-samples", "8"])


def run(project: Path, command: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parent}:{project}"}
    done = subprocess.run(command, check=False, cwd=project, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


def used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()

"""How long a sandbox takes to start, to run a command, and to end: ours beside Inspect's `local` and `docker`.

    python benchmarks/sandbox.py [--rounds N] [--image IMAGE]

All are driven through Inspect's own interface and take turns, so that whatever else the machine does falls on all.
`docker` takes part where an engine runs and has an image. Exits with 1 where a median misses its target.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.util._sandbox.registry import registry_find_sandboxenv
from rich.console import Console
from rich.table import Table

import arena.execute.sandboxes.bubblewrap  # noqa: F401 - registers it
from arena.suites.environment import BubblewrapEnvironment, HostTree

EXECS = 10
MEGABYTE = bytes(1 << 20)
TARGETS_MS = {"start": 60.0, "start, with a copied repository": 60.0, "exec": 10.0}
MEASURES = ("start", "exec", "write 1 MB", "read 1 MB", "end")


@dataclass(frozen=True)
class Kind:
    """A kind of sandbox, and how it is asked for."""

    name: str
    sandbox: str
    config: Any
    measures: Sequence[str] = MEASURES


async def measure(kind: Kind) -> Mapping[str, list[float]]:
    """Return milliseconds by measure, of one sandbox from its start to its end."""
    taken: dict[str, list[float]] = defaultdict(list)

    @contextmanager
    def clock(measure: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        taken[measure].append((time.perf_counter() - started) * 1000)

    environment = registry_find_sandboxenv(kind.sandbox)
    with clock("start"):
        opened = await environment.sample_init("benchmark", kind.config, {})
    sandbox = opened["default"]
    for _ in range(EXECS):
        with clock("exec"):
            done = await sandbox.exec(["true"])
        assert done.success, done
    with clock("write 1 MB"):
        await sandbox.write_file("file", MEGABYTE)
    with clock("read 1 MB"):
        assert await sandbox.read_file("file", text=False) == MEGABYTE
    with clock("end"):
        await environment.sample_cleanup("benchmark", kind.config, opened, False)
    return taken


def small_repository(folder: Path) -> BubblewrapEnvironment:
    """Return an environment with a repository of 200 files, copied from an archive as `mini_swe`'s are."""
    for number in range(200):
        path = folder / "repository" / f"package{number % 10}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def function(argument):\n    return argument\n" * 20)
    archive = folder / "repository.tar"
    subprocess.run(["tar", "-cf", archive, "-C", folder / "repository", "."], check=True)
    copy = HostTree(source=str(archive), target="/testbed", mode="copy")
    return BubblewrapEnvironment(trees=(copy,), workdir="/testbed")


def docker_image(asked: str | None) -> str | None:
    """Return an image of the engine that runs here, or none without an engine or an image."""
    listing = ["docker", "images", "--format", "{{.Repository}}:{{.Tag}}"]
    try:
        done = subprocess.run(listing, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    images = done.stdout.split() if done.returncode == 0 else []
    return asked or next(iter(images), None) if images else None


async def docker_kind(image: str, folder: Path) -> Kind:
    compose = folder / "compose.yaml"
    compose.write_text(
        f"services:\n  default:\n    image: {image}\n    command: tail -f /dev/null\n"
        "    init: true\n    network_mode: none\n"
    )
    await registry_find_sandboxenv("docker").task_init("benchmark", str(compose))
    return Kind(f"docker ({image})", "docker", str(compose))


async def run(rounds: int, image: str | None, folder: Path) -> dict[str, dict[str, list[float]]]:
    kinds = [
        Kind("bubblewrap", "bubblewrap", BubblewrapEnvironment()),
        Kind("bubblewrap, with a copied repository", "bubblewrap", small_repository(folder), ("start",)),
        Kind("local", "local", None),
    ]
    if found := docker_image(image):
        kinds.append(await docker_kind(found, folder))
    taken: dict[str, dict[str, list[float]]] = {kind.name: defaultdict(list) for kind in kinds}
    for number in range(rounds + 1):
        for kind in kinds:
            for name, values in (await measure(kind)).items():
                if number and name in kind.measures:  # the first round pays for imports and caches
                    taken[kind.name][name] += values
    if found:
        await registry_find_sandboxenv("docker").task_cleanup("benchmark", kinds[-1].config, True)
    return taken


def show(taken: dict[str, dict[str, list[float]]]) -> bool:
    """Print medians with their quartiles in milliseconds; return whether all targets are met."""
    ours = taken["bubblewrap"]
    reached = {
        "start": statistics.median(ours["start"]),
        "start, with a copied repository": statistics.median(taken["bubblewrap, with a copied repository"]["start"]),
        "exec": statistics.median(ours["exec"]),
    }
    table = Table("milliseconds: median (quartiles)", *MEASURES)
    for name, measures in taken.items():
        table.add_row(name, *(cell(measures[each]) if each in measures else "" for each in MEASURES))
    console = Console(width=130)
    console.print(table)
    console.print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for name, target in TARGETS_MS.items():
        verdict = "met" if reached[name] <= target else "MISSED"
        console.print(f"{name}: {reached[name]:.1f} ms, target {target:.0f} ms: {verdict}")
    return all(reached[name] <= target for name, target in TARGETS_MS.items())


def cell(values: list[float]) -> str:
    low, median, high = statistics.quantiles(values, n=4)
    return f"{median:.1f} ({low:.1f} to {high:.1f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--image", help="image for docker; by default the first one that the engine lists")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if show(asyncio.run(run(options.rounds, options.image, Path(folder)))) else 1


if __name__ == "__main__":
    sys.exit(main())

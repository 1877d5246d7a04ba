"""What this machine has and lacks for running cells; one real sandbox is tried."""

import importlib.util
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.execute.facts import machine, packages
from arena.execute.sandboxes.open import probe

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Finding:
    name: str
    works: bool
    needed: bool
    """Whether the embedded default needs it."""
    said: str


@dataclass(frozen=True)
class Examination:
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        return all(finding.works for finding in self.findings if finding.needed)

    def as_json(self) -> dict[str, Any]:
        return {
            "healthy": self.healthy,
            "findings": [vars(finding) for finding in self.findings],
            "machine": machine(),
            "packages": packages(),
        }

    def drawn(self) -> "RenderableType":
        from rich.table import Table
        from rich.text import Text

        table = Table("", "what", "found", box=None, show_header=False)
        for finding in self.findings:
            mark = "[green]has[/]" if finding.works else "[red]lacks[/]" if finding.needed else "[yellow]no[/]"
            table.add_row(mark, finding.name, Text(finding.said))
        return table


def examine() -> Examination:
    """Look at the machine and try one sandbox; raises nothing for what is missing."""
    facts = machine()
    cpu = f"{facts['cores']} cores, {facts['memory_gb']} GB, {facts['processor']}"
    return Examination(
        (
            Finding("machine", True, True, f"{cpu}; {facts['system']}; Python {facts['python']}"),
            _sandbox(),
            _program("git", needed=True, why="tasks are git repositories"),
            _program("docker", needed=False, why="for suites whose tasks are images"),
            _gpus(facts["gpus"]),
            *(_package(name, module) for name, module in (("torch", "torch"), ("swebench", "swebench"))),
            _package("vllm", "vllm", needed=False),
        )
    )


def _sandbox() -> Finding:
    found = probe()
    if not found.works:
        return Finding("bubblewrap sandbox", False, True, str(found.reason))
    weak = " (20 large processes are not contained: no cgroup is delegated)" if found.limits_kind == "rlimit" else ""
    said = f"a command ran in one; started in {found.seconds * 1000:.0f} ms; limits by {found.limits_kind}{weak}"
    return Finding("bubblewrap sandbox", True, True, said)


def _program(name: str, *, needed: bool, why: str) -> Finding:
    path = shutil.which(name)
    return Finding(name, path is not None, needed, path or f"not on the PATH ({why})")


def _gpus(found: list[str]) -> Finding:
    return Finding("GPU", bool(found), False, ", ".join(found) or "none; training and serving run on the CPU")


def _package(name: str, module: str, *, needed: bool = True) -> Finding:
    there = importlib.util.find_spec(module) is not None
    version = packages().get(name, "installed") if there else "not installed"
    return Finding(name, there, needed, version)

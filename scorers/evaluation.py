"""One run of a task's tests in a fresh sandbox, and the log that is graded.

The test command's output is kept apart from everything that surrounds it, so that no marker has to be looked for in
what the code under test printed; the exit code comes from the shell, and what pytest itself saw from its own report.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from arena.errors import ScoreError
from scorers.protected import MIXED_FILES, Section, reconfigures, top_module, why_protected

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

LOG_BYTES = 32 * 2**20
EVALUATION_S = 1800
"""SWE-bench's own limit."""

START = ">>>>> Start Test Output"
END = ">>>>> End Test Output"
PYTEST = re.compile(r"\b(?:pytest|py\.test)\b")
INSTALL = re.compile(r"\bpip3? install\b|\bsetup\.py\b")


class ApplyError(ScoreError):
    """The patch does not apply to the fresh checkout."""


@dataclass(frozen=True)
class Script:
    """A row's evaluation script, cut at its markers."""

    before: str
    tests: str
    after: str

    @property
    def runs_pytest(self) -> bool:
        return PYTEST.search(self.tests) is not None

    @property
    def files(self) -> frozenset[str]:
        """What names a file that runs before or around the tests, relative to the checkout, among other words."""
        words = {word.removeprefix("./") for word in re.split(r"[\s;&|()'\"]+", self.tests) if word}
        return frozenset(words | {"setup.py"} if INSTALL.search(self.before) else words)


def cut_script(text: str) -> Script:
    """Cut an evaluation script at its two markers; raises `ScoreError` where it does not have both."""
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if START in line]
    ends = [number for number, line in enumerate(lines) if END in line]
    if len(starts) != 1 or len(ends) != 1 or ends[0] < starts[0]:
        raise ScoreError(f"the evaluation script has {len(starts)} start and {len(ends)} end markers, not one of each")
    start, end = starts[0], ends[0]
    return Script("".join(lines[:start]), "".join(lines[start + 1 : end]), "".join(lines[end + 1 :]))


@dataclass(frozen=True)
class Evaluated:
    """What came of running the tests."""

    exit_code: int | None
    """The test command's own; none where the time was up."""
    tests: str
    """What the test command printed."""
    around: str
    """What was printed before and after it."""
    report: bytes | None
    """pytest's own report (JUnit XML), which it writes when a session has come to its end."""
    undone: Mapping[str, str]
    """Path → why its part of the patch was left out."""


async def run_tests(
    fresh: "SandboxEnvironment", folder: str, patch: bytes, eval_script: str, timeout_s: int = EVALUATION_S
) -> Evaluated:
    """Apply a patch in a fresh sandbox, less what would decide how the tests run, and run them.

    Raises
    ------
    ApplyError
        The patch does not apply.
    ScoreError
        The evaluation script is not one.
    """
    script = cut_script(eval_script)
    scratch = f"/tmp/arena-{uuid4().hex}"
    await _ran(fresh, ["mkdir", "-m", "700", scratch])
    undone = await apply(fresh, folder, patch, script, scratch)
    await fresh.write_file(f"{scratch}/eval.sh", _driver(script, scratch))
    try:
        done = await fresh.exec(["bash", f"{scratch}/eval.sh"], timeout=timeout_s, timeout_retry=False)
        code: int | None = done.returncode
    except TimeoutError:
        code = None
    return Evaluated(
        exit_code=code,
        tests=await _log(fresh, f"{scratch}/tests.log"),
        around=await _log(fresh, f"{scratch}/before.log") + await _log(fresh, f"{scratch}/after.log"),
        report=await _read(fresh, f"{scratch}/report.xml"),
        undone=undone,
    )


def _driver(script: Script, scratch: str) -> str:
    """Return the script that is run: the row's own, with its output kept in three files and the tests' exit code."""
    return f"""#!/bin/bash
exec >>{scratch}/before.log 2>&1 </dev/null
export TZ=UTC PYTHONHASHSEED=0
{script.before}
export PYTEST_ADDOPTS="${{PYTEST_ADDOPTS:-}} --junitxml={scratch}/report.xml -o junit_family=xunit1"
exec >>{scratch}/tests.log 2>&1
{script.tests}
ARENA_TESTS=$?
exec >>{scratch}/after.log 2>&1
{script.after}
exit $ARENA_TESTS
"""


async def apply(
    fresh: "SandboxEnvironment", folder: str, patch: bytes, script: Script, scratch: str
) -> Mapping[str, str]:
    """Apply what may be applied of a patch; return the paths that were left out, each with its reason."""
    sections = await _sections(fresh, folder, patch, scratch)
    files = script.files
    modules = await _modules(fresh, folder)
    reasons = {section.path: why_protected(section, files, modules) for section in sections}
    undone = {path: reason for path, reason in reasons.items() if reason}
    kept = [section for section in sections if section.path not in undone]
    mixed = [section.path for section in kept if section.path.rpartition("/")[2] in MIXED_FILES]
    before = {path: await _read(fresh, f"{folder}/{path}") for path in mixed}
    if kept:
        await fresh.write_file(f"{scratch}/patch", b"".join(section.text for section in kept))
        applied = await _git(fresh, folder, "apply", "--whitespace=nowarn", f"{scratch}/patch")
        if not applied.success:
            raise ApplyError(applied.stderr.strip()[-1000:])
    for path, old in before.items():
        if reconfigures(path, old, await _read(fresh, f"{folder}/{path}")):
            undone[path] = "settings of tests or build"
            await (
                _ran(fresh, ["rm", "-rf", f"{folder}/{path}"]) if old is None else _put(fresh, f"{folder}/{path}", old)
            )
    return undone


async def _sections(fresh: "SandboxEnvironment", folder: str, patch: bytes, scratch: str) -> list[Section]:
    """Cut a patch into its files' parts; git itself says which path each one changes."""
    texts = [b"diff --git " + part for part in re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]]
    if not texts:
        raise ApplyError("the patch has no `diff --git` line")
    await fresh.write_file(f"{scratch}/whole", patch)
    listed = await _git(fresh, folder, "apply", "--numstat", "-z", f"{scratch}/whole")
    paths = [entry.split("\t", 2)[2] for entry in listed.stdout.split("\0") if entry.count("\t") >= 2]
    if not listed.success or len(paths) != len(texts):
        raise ApplyError(listed.stderr.strip()[-1000:] or "the patch cannot be read")
    return [Section(path, text) for path, text in zip(paths, texts, strict=True)]


async def _modules(fresh: "SandboxEnvironment", folder: str) -> frozenset[str]:
    listed = await fresh.exec(["bash", "-c", 'cd "$1" && ls -Ad * src/* lib/* 2>/dev/null', "arena", folder])
    return frozenset(
        filter(None, (top_module(name if "." in name else f"{name}/") for name in listed.stdout.split("\n")))
    )


async def _git(fresh: "SandboxEnvironment", folder: str, *arguments: str) -> Any:
    safe = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    return await fresh.exec(["git", "-C", folder, *safe, *arguments], timeout=300, timeout_retry=False)


async def _ran(fresh: "SandboxEnvironment", command: list[str]) -> None:
    done = await fresh.exec(command)
    if not done.success:
        raise ScoreError(f"{shlex.join(command)} in the grading sandbox: {done.stderr.strip()}")


async def _put(fresh: "SandboxEnvironment", path: str, content: bytes) -> None:
    await _ran(fresh, ["rm", "-rf", path])
    await fresh.write_file(path, content)


async def _log(fresh: "SandboxEnvironment", path: str) -> str:
    content = await _read(fresh, path)
    return f"[no log, or one of more than {LOG_BYTES} bytes]" if content is None else content.decode(errors="replace")


async def _read(fresh: "SandboxEnvironment", path: str) -> bytes | None:
    """Return a file, or none where there is none or it is longer than any log that can be graded."""
    size = await fresh.exec(["stat", "-Lc", "%s %F", path])
    number, _, kind = size.stdout.strip().partition(" ")
    if not size.success or not kind.startswith("regular") or int(number) > LOG_BYTES:
        return None
    return await fresh.read_file(path, text=False)

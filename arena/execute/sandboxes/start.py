"""Start bubblewrap with the helper as its process 1."""

import importlib.util
import json
import marshal
import os
import socket
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from arena.errors import SandboxError
from arena.execute.sandboxes import binaries, blueprint
from arena.execute.sandboxes.cgroups import Cgroup
from arena.execute.sandboxes.handed import Handed
from arena.execute.sandboxes.identity import Identity, choose_identity
from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.places import Places
from arena.suites.environment import BubblewrapEnvironment

_PACKAGE = "arena.execute.sandboxes.inside"
_MODULES = ("wire", "kernel", "seccomp", "processes", "users", "rights", "files", "command", "furnish", "serve")
"""The helper's modules, each after those that it imports."""

_BOOT = f"""
import sys
package = sys.modules["{_PACKAGE}"] = type(sys)("{_PACKAGE}")
for name, code in marshal.load(file):
    module = sys.modules["{_PACKAGE}." + name] = type(sys)(name)
    setattr(package, name, module)
    exec(code, module.__dict__)
module.main(int(sys.argv[1]), int(sys.argv[2]))
"""

_START_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Started:
    """A sandbox whose helper answers."""

    bubblewrap: subprocess.Popen[bytes]
    control: socket.socket
    helper: int
    """A descriptor of the helper's process: unlike its number, it never comes to mean another."""
    identity: Identity


def start(environment: BubblewrapEnvironment, cgroup: Cgroup) -> Started:
    """Start a sandbox and wait until its helper answers; raises `SandboxError` with what refused it."""
    identity = choose_identity()
    with ExitStack() as temporary, ExitStack() as undo:
        places = Places(out_of_reach=not identity.one_user)
        handed = Handed()
        temporary.callback(handed.close)
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.callback(control.close)
        control_end = handed.give(theirs.detach())
        info, info_end = _pipe(temporary, handed)
        release, release_end = _pipe(temporary, handed, inward=True)
        complaints = os.memfd_create("complaints", os.MFD_CLOEXEC)
        temporary.callback(os.close, complaints)
        command = [
            *_become(identity, places),
            *blueprint.system_arguments(environment),
            *_trees(environment, places),
            *("--info-fd", info_end, "--userns-block-fd", release_end, "--"),
            *_helper(control_end, environment, identity, cgroup, handed),
        ]
        bubblewrap = places.spawn(partial(_popen, command, _libraries(places), handed.descriptors, complaints))
        undo.callback(_end, bubblewrap)
        handed.close()
        try:
            pid = _let_in(info, release, identity)
            helper = os.pidfd_open(pid)
            undo.callback(os.close, helper)
            # Slow, and nothing but the helper runs in the sandbox yet: meanwhile it starts.
            cgroup.join(pid)
            _await_ready(control)
        except (OSError, SandboxError, ValueError) as error:
            _end(bubblewrap)
            raise SandboxError(f"a sandbox did not start: {_reason(complaints) or error}") from error
        undo.pop_all()
    return Started(bubblewrap, control, helper, identity)


def _pipe(temporary: ExitStack, handed: Handed, *, inward: bool = False) -> tuple[int, str]:
    """Return our end of a pipe, and the number of bubblewrap's end as an argument."""
    reading, writing = os.pipe()
    ours, theirs = (writing, reading) if inward else (reading, writing)
    temporary.callback(os.close, ours)
    return ours, handed.give(theirs)


def _become(identity: Identity, places: Places) -> list[str]:
    """Return the start of the command: bubblewrap, as the user that the sandbox's root is on the host."""
    bubblewrap = places.see(binaries.find_bubblewrap())
    if identity.one_user:
        return [bubblewrap]
    ids = (f"--reuid={identity.owner}", f"--regid={identity.group}", "--clear-groups")
    return [binaries.find_program("setpriv"), *ids, "--", bubblewrap]


def _trees(environment: BubblewrapEnvironment, places: Places) -> list[str]:
    arguments = []
    for tree, staged in blueprint.staged_trees(environment):
        arguments += ["--ro-bind", places.see(tree.source), staged]
    if prefix := binaries.python_prefix():
        arguments += ["--ro-bind", places.see(prefix), str(prefix)]
    return arguments


def _helper(
    control: str, environment: BubblewrapEnvironment, identity: Identity, cgroup: Cgroup, handed: Handed
) -> list[str]:
    told = marshal.dumps({**blueprint.helper_blueprint(environment, identity, cgroup.kind)})
    boot = f"import marshal; file = open({handed.data(_helper_code())}, 'rb'); exec(marshal.load(file))"
    return [str(binaries.python()), "-I", "-S", "-c", boot, control, handed.data(told)]


@cache
def _helper_code() -> bytes:
    """Return the helper as compiled code: it reads no file of ours inside the sandbox, and compiles nothing."""
    parts = []
    for name in _MODULES:
        spec = importlib.util.find_spec(f"{_PACKAGE}.{name}")
        assert spec is not None
        assert spec.origin is not None
        parts.append((name, compile(Path(spec.origin).read_text(encoding="utf-8"), f"<{name}>", "exec")))
    return marshal.dumps(compile(_BOOT, "<boot>", "exec")) + marshal.dumps(parts)


def _libraries(places: Places) -> dict[str, str]:
    folder = binaries.bundled_libraries(binaries.find_bubblewrap())
    return {"LD_LIBRARY_PATH": places.see(folder)} if folder else {}


def _popen(
    command: list[str], environment: dict[str, str], descriptors: list[int], complaints: int
) -> "subprocess.Popen[bytes]":
    # This process's environment, keys among it, stays outside: it could be read in /proc/PID/environ.
    null = subprocess.DEVNULL
    return subprocess.Popen(
        command,
        stdin=null,
        stdout=null,
        stderr=complaints,
        pass_fds=descriptors,
        env=environment,
        cwd="/",
        start_new_session=True,  # a Ctrl-C that is meant for this process would reach it too
    )


def _let_in(info: int, release: int, identity: Identity) -> int:
    """Give the waiting process its ids and let it go on; returns its number."""
    text = b""
    while b"}" not in text:
        part = os.read(info, 4096)
        if not part:
            raise SandboxError("bubblewrap ended at once")
        text += part
    pid = int(json.loads(text)["child-pid"])
    identity.map_into(pid)
    os.write(release, b"go")
    return pid


def _await_ready(control: socket.socket) -> None:
    control.settimeout(_START_TIMEOUT_S)
    word = control.recv(4096)
    if word != wire.READY:
        raise SandboxError(word.decode("utf-8", "replace") or "its helper ended at once")
    control.setblocking(False)


def _end(bubblewrap: subprocess.Popen[bytes]) -> None:
    bubblewrap.kill()
    bubblewrap.wait()


def _reason(complaints: int) -> str:
    return os.pread(complaints, 2000, 0).decode("utf-8", "replace").strip()

"""One request inside the sandbox: a supervisor, and below it the process that gives up every right and does the work.

The supervisor adopts whatever the command leaves behind while it runs, so that the whole tree can be found and ended.
When the command ends by itself, so does the supervisor, and background processes stay with process 1.
"""

import errno
import marshal
import os
import resource
from typing import NamedTuple, TypedDict

from arena.execute.sandboxes.inside import files, kernel, wire
from arena.execute.sandboxes.inside.users import Account, find_account

_ROOT_CAPABILITIES = frozenset((0, 1, 3, 4, 5, 6, 7, 10, 18))
"""What root keeps: chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service, sys_chroot."""

FIRST_VICTIM = b"800"
"""Of what the kernel kills when memory is short: commands go before the helper."""


class Request(TypedDict):
    """What the host asks for."""

    verb: str
    """`exec`, `read` or `write`."""
    command: list[str]
    file: str
    limit: int
    """Longest file that may be read, in bytes."""
    cwd: str | None
    user: str | None
    env: dict[str, str]


class House(NamedTuple):
    """What holds for every request of a sandbox."""

    user: str
    workdir: str
    env: dict[str, str]
    rlimits: list[tuple[int, int]]
    one_user: bool
    """Only one user id exists in the sandbox: no other user can be had."""
    filter: bytes


class Pipes(NamedTuple):
    """The descriptors that came with a request."""

    request: int
    stdin: int
    stdout: int
    stderr: int
    answer: int


def supervise(house: House, pipes: Pipes, lifeline: int) -> None:
    """Do one request and end this process."""
    kernel.set_signal(kernel.SIGCHLD, kernel.SIG_DEFAULT)
    kernel.adopt_orphans()
    request: Request = marshal.loads(_read_all(pipes.request))
    account = find_account(request["user"] or house.user)
    if account is None or (house.one_user and account.uid != os.getuid()):
        os.write(pipes.answer, wire.answer(wire.NO_USER, 0, request["user"] or house.user))
    else:
        try:
            status = _wait_for(_start(house, request, account, pipes))
            os.write(pipes.answer, wire.answer(wire.EXITED, 128 - status if status < 0 else status))
        except OSError as error:  # no more processes can be had
            os.write(pipes.answer, wire.answer(wire.NOT_STARTED, error.errno or errno.EIO))
    os.write(lifeline, b".")
    os._exit(0)


def _start(house: House, request: Request, account: Account, pipes: Pipes) -> int:
    child = os.fork()
    if child:
        return child
    try:
        for target, descriptor in enumerate((pipes.stdin, pipes.stdout, pipes.stderr)):
            os.dup2(descriptor, target)
        _become(house, account)
        _work(house, request, account, pipes.answer)
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - nothing may escape into the supervisor's code
        os.write(pipes.answer, wire.answer(wire.BROKEN, 0, repr(error)))
    os._exit(125)


def _wait_for(child: int) -> int:
    """Reap every process that ends below this one until `child` does."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def _become(house: House, account: Account) -> None:
    """Give up every right that the account does not have; nothing of this can be undone."""
    os.setsid()
    for limit, wanted in house.rlimits:
        hard = resource.getrlimit(limit)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
    _volunteer_for_oom()
    keep = _ROOT_CAPABILITIES if account.uid == 0 and not house.one_user else frozenset[int]()
    kernel.drop_capabilities(keep)
    if not house.one_user:
        os.setgroups([account.gid])
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    kernel.limit_capabilities(keep)
    kernel.set_hidden(True)
    kernel.no_new_privileges()
    kernel.install_filter(house.filter)


def _volunteer_for_oom() -> None:
    # Hidden, a process cannot write there; this one still holds every right, so that nobody here may look into it.
    kernel.set_hidden(False)
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(descriptor, FIRST_VICTIM)
        os.close(descriptor)
    except OSError:
        pass  # the order of victims is a nicety
    kernel.set_hidden(True)


def _work(house: House, request: Request, account: Account, answer: int) -> None:
    execute = request["verb"] == "exec"
    place = ""
    try:
        if execute:
            place = os.path.join(house.workdir, request["cwd"] or "")  # noqa: PTH118
            os.chdir(place)
            place = ""
            kernel.set_signals(kernel.SIG_DEFAULT)
            identity = {"HOME": account.home, "USER": account.name, "LOGNAME": account.name}
            os.execvpe(request["command"][0], request["command"], {**identity, **house.env, **request["env"]})
        path = os.path.join(house.workdir, request["file"])  # noqa: PTH118
        if request["verb"] == "read":
            files.send_file(path, request["limit"])
        else:
            files.receive_file(path)
    except OSError as error:
        kind, text = (wire.NOT_STARTED, place) if execute else (wire.FILE_ERROR, error.strerror or "")
        os.write(answer, wire.answer(kind, error.errno or errno.EIO, text))
        os._exit(127)


def _read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)

"""One request inside the sandbox: a supervisor, and below it the process that gives up every right and does the work.

The supervisor adopts whatever the command leaves behind while it runs, so that the whole tree can be found and ended.
When the command ends by itself, so does the supervisor, and background processes stay with process 1.
"""

import errno
import marshal
import os

from arena.execute.sandboxes.inside import files, kernel, wire
from arena.execute.sandboxes.inside.rights import become
from arena.execute.sandboxes.inside.users import Account, find_account

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.execute.sandboxes.inside.contract import House, Request


class Pipes:
    """The descriptors that came with a request."""

    def __init__(self, request: int, stdin: int, stdout: int, stderr: int, answer: int) -> None:
        self.request, self.stdin, self.stdout, self.stderr, self.answer = request, stdin, stdout, stderr, answer


def supervise(house: "House", pipes: Pipes, lifeline: int) -> None:
    """Do one request and end this process."""
    kernel.set_signal(kernel.SIGCHLD, kernel.SIG_DEFAULT)
    kernel.adopt_orphans()
    request: Request = marshal.loads(_read_all(pipes.request))
    account = find_account(request["user"] or house["user"])
    if account is None or (house["one_user"] and account.uid != os.getuid()):
        answer = wire.answer(wire.NO_USER, 0, request["user"] or house["user"])
    else:
        answer = _carry_out(house, request, account, pipes)
    os.write(lifeline, b".")
    os.write(pipes.answer, answer)
    os._exit(0)


def _carry_out(house: "House", request: "Request", account: Account, pipes: Pipes) -> bytes:
    try:
        status = _wait_for(_start(house, request, account, pipes))
    except OSError as error:  # no more processes can be had
        return wire.answer(wire.NOT_STARTED, error.errno or errno.EIO)
    return wire.answer(wire.EXITED, 128 - status if status < 0 else status)


def _start(house: "House", request: "Request", account: Account, pipes: Pipes) -> int:
    child = os.fork()
    if child:
        return child
    try:
        for target, descriptor in enumerate((pipes.stdin, pipes.stdout, pipes.stderr)):
            os.dup2(descriptor, target)
        become(account, house["rlimits"], one_user=house["one_user"])
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


def _work(house: "House", request: "Request", account: Account, answer: int) -> None:
    execute = request["verb"] == "exec"
    place = ""
    try:
        if execute:
            place = os.path.join(house["workdir"], request["cwd"] or "")
            os.chdir(place)
            place = ""
            identity = {"HOME": account.home, "USER": account.name, "LOGNAME": account.name}
            _execute(request["command"], {**identity, **house["env"], **request["env"]})
        kernel.set_signal(kernel.SIGXFSZ, kernel.SIG_IGNORE)  # a file that gets too long is an error to be told
        path = os.path.join(house["workdir"], request["file"])
        if request["verb"] == "read":
            files.send_file(path, request["limit"])
        else:
            files.receive_file(path)
    except OSError as error:
        kind, text = (wire.NOT_STARTED, place) if execute else (wire.FILE_ERROR, error.strerror or "")
        os.write(answer, wire.answer(kind, error.errno or errno.EIO, text))
        os._exit(127)


def _execute(command: list[str], env: dict[str, str]) -> None:
    """Become the program that the PATH finds; `os.execvpe` would import a module, which is not there any more."""
    if "/" in command[0]:
        os.execve(command[0], command, env)
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for folder in env.get("PATH", "/usr/bin:/bin").split(":"):
        try:
            os.execve(f"{folder or '.'}/{command[0]}", command, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            failure = error
    raise failure


def _read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)

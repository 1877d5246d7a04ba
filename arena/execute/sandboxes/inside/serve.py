"""Process 1 of a sandbox: furnishes it, then forks a supervisor for each request and ends trees on the host's word.

The kernel lets no signal from inside reach process 1. It ends when the host's side of the control socket closes, be
it by a crash, and with it everything in the sandbox.
"""

import _socket  # the module that `socket` wraps: 8 ms less at every start
import gc
import marshal
import os
import select

from arena.execute.sandboxes.inside import kernel, wire
from arena.execute.sandboxes.inside.command import Pipes, supervise
from arena.execute.sandboxes.inside.furnish import furnish
from arena.execute.sandboxes.inside.processes import end_strays, end_tree
from arena.execute.sandboxes.inside.rights import limit_helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.execute.sandboxes.inside.contract import Blueprint, House

_KILL_ROUND_MS = 5


class Job:
    """A request that is being done; `lifeline` becomes readable when its supervisor ends."""

    def __init__(self, supervisor: int, lifeline: int) -> None:
        self.supervisor, self.lifeline = supervisor, lifeline


def main(control: int, blueprint: int) -> None:
    """Serve a sandbox until its host goes away; never returns."""
    os.set_inheritable(control, False)
    _close_but(control, blueprint)
    kernel.set_signals(kernel.SIG_DEFAULT)  # and no default of a signal touches process 1
    kernel.set_signal(kernel.SIGCHLD, kernel.SIG_IGNORE)  # the kernel reaps the children that nobody waits for
    kernel.set_hidden(True)
    os.umask(0o022)
    channel = _socket.socket(fileno=control)
    try:
        with os.fdopen(blueprint, "rb") as file:
            plan: Blueprint = marshal.load(file)
        proc = furnish(plan["furniture"])
        one_user = plan["house"]["one_user"]
        if one_user:
            _become_only_user(plan["uid"])
        limit_helper(one_user=one_user)
    except OSError as error:
        channel.send(f"{error.strerror}: {error.filename}".encode())
        os._exit(1)
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.close(null)
    gc.freeze()
    gc.disable()
    channel.send(wire.READY)
    _serve(channel, plan["house"], proc)


def _close_but(*kept: int) -> None:
    """Close what bubblewrap left open: folders of the host among it."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass  # the listing's own descriptor


def _become_only_user(uid: int) -> None:
    """Leave the namespace that owns the mounts for one in which this user is called `uid`."""
    group, owner = os.getegid(), os.geteuid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {owner} 1"), ("gid_map", f"{uid} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def _serve(channel: _socket.socket, house: "House", proc: int) -> None:
    jobs: dict[int, Job] = {}
    dying: set[int] = set()
    poll = select.poll()
    poll.register(channel.fileno(), select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(_KILL_ROUND_MS if dying else None)}
        for number, job in list(jobs.items()):
            if job.lifeline in ready:
                poll.unregister(job.lifeline)
                ended_by_itself = os.read(job.lifeline, 1)
                os.close(job.lifeline)
                del jobs[number]
                if number not in dying and not ended_by_itself:
                    # Someone inside killed the supervisor to get its tree out of reach.
                    end_strays({other.supervisor for other in jobs.values()}, proc)
                dying.discard(number)
        if channel.fileno() in ready:
            _obey(channel, house, jobs, dying, poll)
        for number in dying:
            end_tree(jobs[number].supervisor, proc)


def _obey(channel: _socket.socket, house: "House", jobs: dict[int, Job], dying: set[int], poll: select.poll) -> None:
    order, descriptors = _receive(channel)
    if not order:
        os._exit(0)
    what, number = wire.ORDER.unpack(order)
    if what == wire.KILL:
        dying.update({number} & jobs.keys())
    elif len(descriptors) == wire.DESCRIPTORS:
        pipes = Pipes(*descriptors)
        try:
            jobs[number] = _begin(channel, house, pipes)
            poll.register(jobs[number].lifeline, select.POLLIN)
        except OSError as error:
            os.write(pipes.answer, wire.answer(wire.NOT_STARTED, error.errno or 0))
    for descriptor in descriptors:
        os.close(descriptor)


def _begin(channel: _socket.socket, house: "House", pipes: Pipes) -> Job:
    ours, theirs = os.pipe()
    try:
        supervisor = os.fork()
    except OSError:
        os.close(ours)
        raise
    else:
        if supervisor == 0:
            try:
                channel.close()
                supervise(house, pipes, theirs)
            except BaseException as error:  # noqa: BLE001 - nothing may escape into process 1's loop
                os.write(pipes.answer, wire.answer(wire.BROKEN, 0, repr(error)))
            os._exit(1)
        return Job(supervisor, ours)
    finally:
        os.close(theirs)


def _receive(channel: _socket.socket) -> tuple[bytes, list[int]]:
    room = _socket.CMSG_SPACE(4 * wire.DESCRIPTORS)
    order, ancillary, _, _ = channel.recvmsg(wire.ORDER.size, room, _socket.MSG_CMSG_CLOEXEC)
    descriptors: list[int] = []
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            descriptors += [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data) - 3, 4)]
    return order, descriptors

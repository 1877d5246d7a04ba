"""Ask a sandbox to do something, and read what comes of it."""

import fcntl
import marshal
import os
import select
import struct
import termios
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass

import anyio

from arena.errors import SandboxError
from arena.execute.sandboxes.box import Box, lost_sandbox
from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.inside.contract import Request
from arena.execute.sandboxes.memory_file import sealed_file
from arena.execute.sandboxes.tail import Tail

_CHUNK = 1 << 20
_KILL_TIMEOUT_S = 20.0
_LOSS_SHOWS_S, _LOSS_LOOKS = 0.5, 10
_KILLED = 137


@dataclass(frozen=True)
class Outcome:
    """What came of a request."""

    kind: int
    """One of `wire`'s kinds of answer."""
    number: int
    """Exit status or errno."""
    text: str
    stdout: bytes
    stderr: bytes


class RequestTimeoutError(TimeoutError):
    """A request took too long; everything that it started has been ended."""

    def __init__(self, timeout_s: float, truncated_output: str) -> None:
        super().__init__(f"the command did not end within {timeout_s:g} seconds")
        self.truncated_output = truncated_output


def request(
    verb: str,
    *,
    command: Sequence[str] = (),
    file: str = "",
    limit: int = 0,
    cwd: str | None = None,
    user: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Request:
    """Return a request that the kernel can be given; raises `ValueError` for text that holds a null byte."""
    texts = [*command, file, cwd or "", user or "", *(env or {}).keys(), *(env or {}).values()]
    if any("\0" in text for text in texts):
        raise ValueError("embedded null byte")
    return Request(
        verb=verb,
        command=[_encodable(word) for word in command],
        file=_encodable(file),
        limit=limit,
        cwd=_encodable(cwd) if cwd else None,
        user=_encodable(user) if user else None,
        env={_encodable(name): _encodable(value) for name, value in (env or {}).items()},
    )


def _encodable(text: str) -> str:
    """Return `text` without the lone surrogates that a model may write and no encoding has."""
    return text.encode("utf-8", "replace").decode()


async def ask(
    box: Box, request: Request, stdin: bytes | int | None, output_limit: int, timeout_s: float | None = None
) -> Outcome:
    """Do one request in the sandbox; of each output stream the last `output_limit` bytes are kept.

    Raises
    ------
    RequestTimeoutError
        It took longer than `timeout_s`.
    SandboxError
        The sandbox is gone, or could not end what the request started and was ended itself.
    """
    number = next(box.numbers)
    with closing(Streams(output_limit)) as streams:
        _send(box, number, request, stdin, streams)
        try:
            with anyio.move_on_after(timeout_s) as clock:
                await streams.until_answered()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await _end(box, number, streams)
            raise
        if clock.cancelled_caught:
            with anyio.CancelScope(shield=True):
                await _end(box, number, streams)
            raise RequestTimeoutError(timeout_s or 0, streams.shown())
        streams.drain()
        kind, code, text = streams.answer() or await _without_answer(box)
    if kind == wire.BROKEN:
        raise SandboxError(f"the sandbox's helper failed: {text}")
    return Outcome(kind, code, text, streams.stdout.value(), streams.stderr.value())


class Streams:
    """The host's ends of a request's pipes, read as one."""

    def __init__(self, limit: int) -> None:
        self.stdout, self.stderr, self._answer = Tail(limit), Tail(limit), Tail(_CHUNK)
        self._epoll = select.epoll()
        self._tails: dict[int, Tail] = {}
        self.theirs: list[int] = []
        for tail in (self.stdout, self.stderr, self._answer):
            ours, end = os.pipe()
            with suppress(OSError):  # the kernel gives an ordinary user only so many large ones
                fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, _CHUNK)
            self._tails[ours] = tail
            self.theirs.append(end)
            self._epoll.register(ours, select.EPOLLIN)

    def close(self) -> None:
        for descriptor in self._tails:
            os.close(descriptor)
        self._epoll.close()

    async def until_answered(self) -> None:
        """Read until the answer's pipe closes, as it does when nothing of the request's own is left to wait for."""
        while self._answer in self._tails.values():
            await anyio.wait_readable(self._epoll.fileno())
            for descriptor, _ in self._epoll.poll(0):
                self._read(descriptor, _CHUNK)

    def drain(self) -> None:
        """Read what is in the pipes now; a background process that keeps writing does not keep us."""
        for descriptor in list(self._tails):
            waiting = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0]
            if waiting:
                self._read(descriptor, waiting)

    def answer(self) -> tuple[int, int, str] | None:
        return wire.read_answer(self._answer.value())

    def shown(self) -> str:
        """Return what there is of both streams, as text."""
        return (self.stdout.value() + self.stderr.value()).decode("utf-8", "replace")

    def _read(self, descriptor: int, size: int) -> None:
        part = os.read(descriptor, size)
        self._tails[descriptor].add(part)
        if not part:
            self._epoll.unregister(descriptor)
            os.close(descriptor)
            del self._tails[descriptor]


def _send(box: Box, number: int, request: Request, stdin: bytes | int | None, streams: Streams) -> None:
    with ExitStack() as given:
        for end in streams.theirs:
            given.callback(os.close, end)
        asked = sealed_file(marshal.dumps({**request}))
        given.callback(os.close, asked)
        if not isinstance(stdin, int):
            stdin = sealed_file(stdin) if stdin else os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            given.callback(os.close, stdin)
        box.order(wire.RUN, number, (asked, stdin, *streams.theirs))


async def _end(box: Box, number: int, streams: Streams) -> None:
    """End everything that the request started, or else the sandbox."""
    box.order(wire.KILL, number)
    with anyio.move_on_after(_KILL_TIMEOUT_S):
        await streams.until_answered()
        return
    await anyio.to_thread.run_sync(box.close)
    raise lost_sandbox(f"a command could not be ended within {_KILL_TIMEOUT_S:g} seconds, so its sandbox was")


async def _without_answer(box: Box) -> tuple[int, int, str]:
    """Tell a supervisor that was killed inside, which is the command's own affair, from a sandbox that is gone."""
    for _ in range(_LOSS_LOOKS):
        if box.lost:
            raise lost_sandbox("its first process ended while a command ran")
        await anyio.sleep(_LOSS_SHOWS_S / _LOSS_LOOKS)
    return wire.EXITED, _KILLED, ""

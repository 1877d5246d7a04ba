"""What host and helper say to each other.

Over the control socket (packets) the host sends an order, 9 bytes: what, and the number of the request that it is
about. `RUN` brings five descriptors: a file with the request, then the request's stdin, stdout, stderr and a pipe for
its answer. The answers travel on that pipe, which only trusted code ever holds; an answer pipe that closes without one
means that the request's supervisor was killed.

Requests are marshalled, which costs the helper no import. They only ever travel inwards: the host never unmarshals.
"""

import struct

RUN, KILL = 1, 2
ORDER = struct.Struct("=BQ")
DESCRIPTORS = 5

READY = b"ready"

EXITED, NOT_STARTED, FILE_ERROR, NO_USER, BROKEN = 1, 2, 3, 4, 5
"""Kinds of answer: a command ended (exit status); it, or a file operation, failed (errno); no such user; a defect."""

ANSWER = struct.Struct("=BiH")
"""Kind, number, and the length of the text that follows."""


def answer(kind: int, number: int, text: str = "") -> bytes:
    raw = text.encode("utf-8", "replace")[:2000]
    return ANSWER.pack(kind, number, len(raw)) + raw


def read_answer(raw: bytes) -> tuple[int, int, str] | None:
    """Return the first answer in `raw`, or none where there is no whole one."""
    if len(raw) < ANSWER.size:
        return None
    kind, number, length = ANSWER.unpack_from(raw)
    text = raw[ANSWER.size : ANSWER.size + length]
    return (kind, number, text.decode("utf-8", "replace")) if len(text) == length else None

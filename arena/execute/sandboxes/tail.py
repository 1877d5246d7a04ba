"""The end of a stream, in bounded memory."""


class Tail:
    """Keeps the last `limit` bytes of what is added."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()

    def add(self, part: bytes) -> None:
        self._kept += part
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit]

    def value(self) -> bytes:
        return bytes(self._kept[-self._limit :])

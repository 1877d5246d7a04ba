"""Files that people write: read with every failure explained, and found from a folder upwards."""

import codecs
import contextlib
from collections.abc import Iterator
from pathlib import Path

from arena.errors import CellError

MAX_BYTES = 128 * 1024


def read_text_file(path: Path) -> str:
    """Return the text of a small UTF-8 file; anything else is a `CellError` that says what it is."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise CellError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise CellError(f"{path}: is a folder; name a file in it") from None
    except (OSError, ValueError) as error:
        raise CellError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MAX_BYTES:
        raise CellError(f"{path}: larger than {MAX_BYTES // 1024} KiB; this is no file that a person wrote for arena")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CellError(f"{path}: is UTF-16 text; save it as UTF-8")
    if b"\0" in content:
        raise CellError(f"{path}: is not text (it holds NUL bytes)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise CellError(f"{path}:{line}: is not UTF-8 text, got the byte 0x{byte:02x}; save it as UTF-8") from None
    if not text.strip():
        raise CellError(f"{path}: is empty")
    return text


def is_file(path: Path) -> bool:
    """Whether `path` is a file that can be seen; a name that cannot be one is none."""
    with contextlib.suppress(OSError, ValueError):
        return path.is_file()
    return False


def is_there(path: Path) -> bool:
    """Whether something that can be seen stands at `path`."""
    with contextlib.suppress(OSError, ValueError):
        return path.exists()
    return False


def upwards(folder: Path) -> Iterator[Path]:
    """Give a folder and all that it lies in, the nearest first."""
    start = folder.resolve()
    yield start
    yield from start.parents


def find_upwards(folder: Path, inside: str, file: str, what: str) -> Path:
    """Return the nearest `file` that stands in `folder`, in one above it, or in a folder `inside` of these."""
    for above in upwards(folder):
        for candidate in (above / file, above / inside / file):
            if is_file(candidate):
                here = Path.cwd()
                return candidate.relative_to(here) if candidate.is_relative_to(here) else candidate
    raise CellError(f"{what} is not there: no {file} in {folder} or above, nor in a folder {inside}/ of these")

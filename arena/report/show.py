"""Print a result: as JSON for programs, drawn for people."""

import json
import sys
from typing import TYPE_CHECKING, Protocol, cast

from arena.report.json_form import Json

if TYPE_CHECKING:
    from rich.console import RenderableType


class Shown(Protocol):
    """What a reading command gives."""

    def as_json(self) -> Json: ...

    def drawn(self) -> "RenderableType":
        """Return the result for a terminal."""
        ...


class Page(Protocol):
    """A result that also has a form for pages."""

    def to_markdown(self) -> str: ...


def show(result: Shown, as_json: bool, as_markdown: bool = False) -> None:
    """Print a result on standard output."""
    if as_markdown:
        sys.stdout.write(cast(Page, result).to_markdown().rstrip() + "\n")
        return
    if as_json:
        json.dump(result.as_json(), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
        sys.stdout.write("\n")
        return
    from rich.console import Console

    Console(soft_wrap=False).print(result.drawn())

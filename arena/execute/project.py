"""A project of one's own: a folder with a goal and a cell that runs on any machine."""

from dataclasses import dataclass
from pathlib import Path

from arena.errors import UsageError
from arena.execute.models import find_base, shipped_revision

BASE = "arena/tiny-coder"

GOAL = """---
distillation: allowed
---

# Goal first

Say here what a recipe may do. The rules above are checked before a cell runs; the text is pinned by its digest.
"""

CELL = """# A first cell: the base model that ships, on ten small repair tasks. Run it: arena run cell {file}
cell: first
goal: first
model:
  base: {base}
  revision: "{revision}"
package: {{stop_tokens: union}}
generate: {{temperature: 0.7, max_tokens: 160}}
evaluate:
  - {{suite: mini_swe, sample: first-10, replicates: 2}}
"""


@dataclass(frozen=True)
class NewProject:
    """What was written."""

    folder: str
    files: tuple[str, ...]
    next: str

    def as_json(self) -> dict[str, object]:
        return {"folder": self.folder, "files": list(self.files), "next": self.next}

    def drawn(self) -> str:
        return "\n".join((*(f"wrote {file}" for file in self.files), f"now: {self.next}"))


def new_project(folder: Path) -> NewProject:
    """Write a project into a folder that is empty or not there; raises `UsageError` where something stands already."""
    cell, goal = folder / "cells" / "first.yaml", folder / "cells" / "goals" / "first.md"
    for path in (cell, goal):
        if path.exists():
            raise UsageError(f"{path}: stands already; name another folder")
    goal.parent.mkdir(parents=True, exist_ok=True)
    goal.write_text(GOAL, encoding="utf-8")
    revision = shipped_revision(BASE)
    find_base(BASE, revision, folder)
    cell.write_text(CELL.format(file="cells/first.yaml", base=BASE, revision=revision), encoding="utf-8")
    files = tuple(str(path) for path in (cell, goal))
    return NewProject(str(folder), files, f"cd {folder} && arena run cell cells/first.yaml")

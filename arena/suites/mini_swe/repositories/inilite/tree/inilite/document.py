"""Sections, their inheritance, and the document that holds them."""

from collections.abc import Callable, Iterator
from typing import Any

from inilite.lines import normalise_key
from inilite.references import resolve

MAX_PARENTS = 8


class Section:
    def __init__(self, document: "Document", name: str, parent: str = "") -> None:
        self.document = document
        self.name = name
        self.parent = parent
        self.own: dict[str, str] = {}

    def set(self, key: str, value: str) -> None:
        self.own[normalise_key(key)] = value

    def raw(self, key: str) -> str | None:
        """Return a value as it is written, the section's own or the nearest parent's."""
        name = normalise_key(key)
        for section in self.lineage():
            if name in section.own:
                return section.own[name]
        return None

    def get(self, key: str, convert: Callable[[str], Any] = str, default: Any = None) -> Any:
        """Return a value with its references resolved and converted, or the default where there is none."""
        raw = self.raw(key)
        if raw is None:
            return default
        return convert(resolve(raw, self.name, self.document.lookup))

    def keys(self) -> list[str]:
        """Return own and inherited keys: the oldest ancestor's first."""
        found: dict[str, None] = {}
        for section in reversed(self.lineage()):
            found.update(dict.fromkeys(section.own))
        return list(found)

    def lineage(self) -> list["Section"]:
        """Return the section, its parent, its parent's parent and so on."""
        line = [self]
        while line[-1].parent:
            if len(line) > MAX_PARENTS:
                raise ValueError(f"section {self.name!r} has more than {MAX_PARENTS} parents; is there a circle?")
            line.append(self.document.section(line[-1].parent))
        return line


class Document:
    def __init__(self) -> None:
        self.sections: dict[str, Section] = {}

    def add(self, name: str, parent: str = "") -> Section:
        """Return the section of this name, made if it is not there yet."""
        section = self.sections.setdefault(name, Section(self, name))
        section.parent = parent or section.parent
        return section

    def section(self, name: str) -> Section:
        if name not in self.sections:
            raise KeyError(f"no section {name!r}; there are {', '.join(sorted(self.sections))}")
        return self.sections[name]

    def lookup(self, section: str, key: str) -> str | None:
        return self.section(section).raw(key)

    def merge(self, other: "Document") -> None:
        """Take over the other document's sections; its values win."""
        for section in other:
            own = self.add(section.name, section.parent)
            own.own.update(section.own)

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections.values())

    def __len__(self) -> int:
        return len(self.sections)

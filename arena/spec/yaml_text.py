"""YAML text to JSON values, with the place of every key and value.

Read is a plain subset, so that a file means what it looks like: true and false are the only booleans, `1e-4` is a
number, a date is a string, a key stands once. Anchors and aliases work, but their expansion is bounded.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from arena.spec.canonical import JSON
from arena.spec.problem import KeyPath, Place, Problem, refuse, shown

MAX_VALUES = 20_000
MAX_DEPTH = 32
MAX_INTEGER = 2**63 - 1

_NULL, _BOOL, _INT, _FLOAT, _STR = (f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str"))
_SEQUENCE, _MAPPING = "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"
_RESOLVERS: tuple[tuple[str, str, str], ...] = (
    (_NULL, r"(~|null|Null|NULL|)$", "~nN"),
    (_BOOL, r"(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    (_INT, r"[-+]?(0|[1-9][0-9]*)$", "-+0123456789"),
    (_FLOAT, r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def _by_first_character() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    table: dict[str, list[tuple[str, re.Pattern[str]]]] = {"": [(_NULL, re.compile(r"$"))]}
    for tag, pattern, characters in _RESOLVERS:
        for character in characters:
            table.setdefault(character, []).append((tag, re.compile(pattern)))
    return table


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _by_first_character()


@dataclass
class Reading:
    """A text's value, and where each key and each value of it stands."""

    file: Path
    value: JSON = None
    keys: dict[KeyPath, Place] = field(default_factory=dict)
    values: dict[KeyPath, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    count: int = 0
    first_line: int = 1

    def refuse(self, node: yaml.Node, path: KeyPath, text: str) -> JSON:
        """Note a problem and go on with null in the value's stead."""
        self.problems.append(Problem(self.place(node.start_mark), path, text))
        return None

    def place(self, mark: Any) -> Place:
        return Place(self.file, self.first_line + mark.line, mark.column + 1)


def read_yaml(text: str, file: Path, first_line: int = 1) -> Reading:
    """Return what `text` says; `file` and `first_line` are only for the places."""
    reading = Reading(file, first_line=first_line)
    node = _compose(text, reading)
    if node is not None:
        reading.value = _value(node, (), reading, ())
    if reading.problems:
        refuse(reading.problems)
    return reading


def _compose(text: str, reading: Reading) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        try:
            node: yaml.Node | None = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position)
        place = Place(reading.file, reading.first_line + line)
        refuse([Problem(place, (), f"a character that YAML does not allow, got {shown(chr(int(error.character)))}")])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = reading.place(mark) if mark is not None else Place(reading.file, reading.first_line)
        refuse([Problem(place, (), _explained(error))])
    except RecursionError:
        place = Place(reading.file, reading.first_line)
        refuse([Problem(place, (), f"nested more than {MAX_DEPTH} levels deep")])
    return node


def _explained(error: yaml.MarkedYAMLError) -> str:
    problem = str(error.problem or error.context or "cannot be read")
    if "'\\t'" in problem:
        return "a tab where only spaces may stand; indent with spaces"
    if "single document" in str(error.context):
        return "a second document begins here; one file holds one document"
    context = f" ({error.context})" if error.context and error.problem else ""
    return f"not valid YAML: {problem}{context}"


def _value(node: yaml.Node, path: KeyPath, reading: Reading, above: tuple[int, ...]) -> JSON:
    reading.count += 1
    reading.values[path] = reading.place(node.start_mark)
    if id(node) in above:
        return reading.refuse(node, path, "an alias that contains itself")
    if len(above) >= MAX_DEPTH:
        return reading.refuse(node, path, f"nested more than {MAX_DEPTH} levels deep")
    if reading.count > MAX_VALUES:
        reading.refuse(node, path, f"more than {MAX_VALUES} values once its aliases are expanded")
        refuse(reading.problems)
    above = (*above, id(node))
    if isinstance(node, yaml.MappingNode) and node.tag == _MAPPING:
        return _mapping(node, path, reading, above)
    if isinstance(node, yaml.SequenceNode) and node.tag == _SEQUENCE:
        return [_value(item, (*path, index), reading, above) for index, item in enumerate(node.value)]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, path, reading)
    return reading.refuse(node, path, f"tags are not read here, got {node.tag}")


def _mapping(node: yaml.MappingNode, path: KeyPath, reading: Reading, above: tuple[int, ...]) -> JSON:
    result: dict[str, JSON] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            reading.refuse(key_node, path, "a key must be a word, got a list or a mapping")
            continue
        key = key_node.value
        here = (*path, key)
        if key == "<<" and key_node.style is None:
            reading.refuse(key_node, here, "merge keys are not read; name a parent file with `extends:`")
        elif key in result:
            first = reading.keys[here]
            reading.refuse(key_node, here, f"this key stands twice, first in line {first.line}; remove one")
        else:
            reading.keys[here] = reading.place(key_node.start_mark)
            result[key] = _value(value_node, here, reading, above)
    return result


def _scalar(node: yaml.ScalarNode, path: KeyPath, reading: Reading) -> JSON:
    text = str(node.value)
    if node.tag == _STR:
        found = _CONTROL.search(text)
        return text if found is None else reading.refuse(node, path, f"a control character, got {shown(found[0])}")
    for tag, pattern, _ in _RESOLVERS:
        if node.tag == tag and re.match(pattern, text):
            return _plain(tag, text, node, path, reading)
    return reading.refuse(node, path, f"tags are not read here, got {node.tag} on {shown(text)}")


def _plain(tag: str, text: str, node: yaml.Node, path: KeyPath, reading: Reading) -> JSON:
    if tag == _NULL:
        return None
    if tag == _BOOL:
        return text.lower() == "true"
    if tag == _INT:
        digits = text.lstrip("+-")
        if len(digits) > len(str(MAX_INTEGER)) or int(digits) > MAX_INTEGER:
            return reading.refuse(node, path, f"a number beyond 64 bits, got {shown(text)}; quote it if it is a name")
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        return reading.refuse(node, path, f"a number too large to be one, got {shown(text)}; quote it if it is a name")
    return number

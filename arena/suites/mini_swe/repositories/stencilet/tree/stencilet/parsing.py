"""From pieces to nodes."""

from stencilet.errors import TemplateError
from stencilet.filters import FILTERS
from stencilet.nodes import Call, For, If, Include, Node, Output, Text
from stencilet.scanning import Piece, scan


def parse(text: str) -> list[Node]:
    """Return a template's nodes; raises `TemplateError` that names the line."""
    return Parser().parse(scan(text))


class Parser:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.open: list[tuple[If | For, list[Node], int]] = []
        """Blocks that have no end yet, with the nodes that they stand among and their lines."""

    def parse(self, pieces: list[Piece]) -> list[Node]:
        for piece in pieces:
            if piece.kind == "text":
                self.nodes.append(Text(piece.body))
            elif piece.kind == "value":
                self.nodes.append(parse_output(piece))
            elif piece.kind == "block":
                self.block(piece)
        if self.open:
            raise TemplateError(self.open[-1][2], "this block has no end")
        return self.nodes

    def block(self, piece: Piece) -> None:
        words = piece.body.split()
        match words:
            case ["if", path]:
                self.enter(If(path, negated=False), piece.line)
            case ["if", "not", path]:
                self.enter(If(path, negated=True), piece.line)
            case ["for", name, "in", path]:
                self.enter(For(name, path), piece.line)
            case ["else"]:
                self.turn(piece.line)
            case ["end"]:
                self.leave(piece.line)
            case ["include", name]:
                self.nodes.append(Include(name, piece.line))
            case _:
                raise TemplateError(piece.line, f"{piece.body!r} is no block")

    def enter(self, block: If | For, line: int) -> None:
        self.nodes.append(block)
        self.open.append((block, self.nodes, line))
        self.nodes = block.then

    def turn(self, line: int) -> None:
        """Go on with what is rendered otherwise."""
        if not self.open:
            raise TemplateError(line, "else stands in no block")
        block = self.open[-1][0]
        if self.nodes is block.otherwise:
            raise TemplateError(line, "the block has an else already")
        self.nodes = block.otherwise

    def leave(self, line: int) -> None:
        if not self.open:
            raise TemplateError(line, "end stands in no block")
        _, self.nodes, _ = self.open.pop()


def parse_output(piece: Piece) -> Output:
    """Read `path | filter | filter:argument`."""
    path, *filters = [part.strip() for part in piece.body.split("|")]
    if not path:
        raise TemplateError(piece.line, "there is nothing between the braces")
    return Output(path, tuple(parse_filter(text, piece.line) for text in filters), piece.line)


def parse_filter(text: str, line: int) -> Call:
    name, colon, argument = text.partition(":")
    if name.strip() not in FILTERS:
        raise TemplateError(line, f"unknown filter {name.strip()!r}; there are {', '.join(sorted(FILTERS))}")
    return Call(name.strip(), unquote(argument.strip()) if colon else None)


def unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text

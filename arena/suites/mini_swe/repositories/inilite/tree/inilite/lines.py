"""One line of an INI file at a time."""

COMMENT_MARKS = "#;"
QUOTES = "\"'"


def is_blank(line: str) -> bool:
    return not line.strip()


def is_comment(line: str) -> bool:
    """A comment starts with a mark, which may be indented."""
    return line.strip()[:1] in tuple(COMMENT_MARKS)


def is_section(line: str) -> bool:
    text = line.strip()
    return text.startswith("[") and text.endswith("]")


def is_continuation(line: str) -> bool:
    """An indented line goes on with the value above it."""
    return line.startswith((" ", "\t"))


def section_names(line: str) -> tuple[str, str]:
    """Return a section's name and its parent's, which may be empty."""
    name, _, parent = line.strip()[1:-1].partition(":")
    return name.strip(), parent.strip()


def parse_entry(line: str) -> tuple[str, str]:
    """Return the key and the raw value of `key = value`."""
    key, _, value = line.partition("=")
    return normalise_key(key), value.strip()


def normalise_key(key: str) -> str:
    return key.strip().lower()


def strip_comment(text: str) -> str:
    """Cut a trailing comment: a mark outside quotes, with a blank before it."""
    quote = ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character in COMMENT_MARKS and text[:position].endswith((" ", "\t")):
            return text[:position].rstrip()
    return text


def unquote(text: str) -> str:
    """Take one pair of quotes off, if the same quote stands at both ends."""
    if len(text) >= 2 and text[0] in QUOTES and text[-1] == text[0]:
        return text[1:-1]
    return text

"""Converters for `Section.get`."""

TRUE_WORDS = ("yes", "true", "on", "1")
FALSE_WORDS = ("no", "false", "off", "0")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SIZES = {"k": 1024, "m": 1024**2, "g": 1024**3}


def as_boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ValueError(f"{text!r} is neither yes nor no")


def as_integer(text: str) -> int:
    """Read a whole number; underscores may group its digits, `0x` makes it hexadecimal."""
    digits = text.strip().lower()
    if digits.startswith("0x"):
        return int(digits, 16)
    return int(digits)


def as_list(text: str, separator: str = ",") -> list[str]:
    """Split a value at a separator or at line ends; empty items are dropped."""
    items = text.replace("\n", separator).split(separator)
    return [item.strip() for item in items if item.strip()]


def as_duration(text: str) -> int:
    """Read a duration such as `1h30m` in seconds; a number without a unit is in seconds."""
    total, number = 0, ""
    for character in text.strip().lower():
        if character.isdigit():
            number += character
        else:
            total += int(number) * SECONDS[character]
            number = ""
    return total + int(number or 0)


def as_size(text: str) -> int:
    """Read a size such as `4k` in bytes; a `b` may follow the unit."""
    word = text.strip().lower().removesuffix("b")
    if word[-1:] in SIZES:
        return int(word[:-1]) * SIZES[word[-1]]
    return int(word)

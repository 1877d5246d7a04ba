"""Numbers below one another, point under point."""

POINT = "."


def is_number(text: str) -> bool:
    digits = text.strip().lstrip("+-").replace(",", "")
    return digits.replace(POINT, "", 1).isdigit()


def split_number(text: str) -> tuple[str, str]:
    """Return what stands before the point, and the point with what comes after it."""
    whole, point, fraction = text.strip().partition(POINT)
    return whole, point + fraction


def line_up(cells: list[str]) -> list[str]:
    """Pad the numbers at their ends so that their points stand below one another once they are flush right."""
    tails = [len(split_number(cell)[1]) for cell in cells if is_number(cell)]
    longest = max(tails, default=0)
    return [pad_tail(cell, longest) if is_number(cell) else cell for cell in cells]


def pad_tail(text: str, longest: int) -> str:
    whole, tail = split_number(text)
    return whole + tail.ljust(longest)


def group_digits(number: int, mark: str = ",") -> str:
    """Write a whole number with a mark between groups of three digits."""
    digits = str(abs(number))
    groups = []
    while digits:
        groups.append(digits[-3:])
        digits = digits[:-3]
    sign = "-" if number < 0 else ""
    return sign + mark.join(reversed(groups))

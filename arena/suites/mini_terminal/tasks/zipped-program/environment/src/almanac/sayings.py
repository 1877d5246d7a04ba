from pathlib import Path

SAYINGS = Path(__file__).parent / "sayings.txt"


def saying(month: str) -> str:
    for line in SAYINGS.read_text(encoding="utf8").splitlines():
        name, _, text = line.partition(": ")
        if name == month:
            return text
    raise SystemExit(f"almanac: no month {month!r}")

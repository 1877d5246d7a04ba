"""Names for generated code: common nouns, and words that stand in no dictionary."""

from random import Random


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _listed(
    "total price item user order stock score level node edge point vector matrix window buffer cache "
    "token page record field table column row line word letter image color pixel sound wave track album "
    "ticket seat route city road river bridge tower house room door wall garden tree leaf seed fruit "
    "bread sugar plate knife bottle glass chair lamp clock width height length depth size rate limit "
    "offset start stop first last left right minimum maximum average value label title name text parts "
    "lines words cells rows entry key index step delta margin balance amount tax discount"
)
ONSETS = _listed("b c d f g h k l m n p r s t v w z st tr pl gr ch")
KEYS = _listed("name key value id type text line title label size count start end path mode kind unit code data")


def made_up(rng: Random) -> str:
    """Return a word that nobody knows, so that copying is learned as such."""
    syllables = ["".join((rng.choice(ONSETS), rng.choice("aeiou"))) for _ in range(rng.choice((1, 2, 2, 3)))]
    return "".join(syllables) + rng.choice(("", "n", "r", "t", "x", "l"))


def word(rng: Random) -> str:
    return made_up(rng) if rng.random() < 0.4 else rng.choice(NOUNS)


def path(rng: Random) -> str:
    """Return the path of a module in some small repository."""
    folders = rng.choice(((), (word(rng),), (word(rng),), (word(rng),), (word(rng), word(rng)), ("src", word(rng))))
    stem = word(rng) if rng.random() < 0.75 else f"{word(rng)}_{word(rng)}"
    return "/".join((*folders, f"{stem}.py"))

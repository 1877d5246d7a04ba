"""A sample as an object: which tasks, drawn how, from what pool."""

import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import CellError
from arena.spec.canonical import digest_of
from arena.spec.invalid import did_you_mean
from arena.spec.problem import shown

_SEEDED = re.compile(r"seed(?P<seed>0|[1-9][0-9]{0,8})-(?P<size>[1-9][0-9]{0,8})(?P<rest>-dev)?")
_FIRST = re.compile(r"first-(?P<size>[1-9][0-9]{0,8})")
_RULES = ("all", "seed0-250", "seed0-250-dev", "first-10")
LISTED = "listed"


@dataclass(frozen=True)
class Sample:
    """Tasks of a suite, in the order in which they are run.

    A drawn sample keeps the order of drawing, so that what a budget leaves unfinished is a random part of it; the
    digests are over sets of ids and know no order.
    """

    name: str
    algorithm: str
    """How the ids were chosen from the sorted pool, in words of Python where there are any."""
    seed: int | None
    pool_digest: str
    ids_digest: str
    ids: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Ids that belong to the sample and were taken out, such as tasks that cannot be scored here."""

    def without(self, drop: Iterable[str]) -> "Sample":
        """Return the sample less the ids of `drop`; ids that it does not hold are passed over."""
        gone = set(drop).intersection(self.ids)
        kept = tuple(one for one in self.ids if one not in gone)
        dropped = tuple(sorted(gone.union(self.dropped)))
        return Sample(self.name, self.algorithm, self.seed, self.pool_digest, ids_digest(kept), kept, dropped)


def ids_digest(ids: Iterable[str]) -> str:
    """Return the sha256 over a set of ids, whatever their order."""
    return digest_of(sorted(set(ids)))


def resolve_sample(
    name: str | Sequence[str], pool_ids: Collection[str], shipped: Mapping[str, Sequence[str]] | None = None
) -> Sample:
    """Return the sample `name` of a suite's pool.

    `name` is one that the suite ships, `all`, `seed<K>-<N>` (drawn as `random.Random(K).sample(sorted(ids), N)`),
    `seed<K>-<N>-dev` (the rest of the pool), `first-<N>`, or a list of ids.
    """
    pool = sorted(pool_ids)
    if not isinstance(name, str):
        return _sample(LISTED, LISTED, None, tuple(name), pool)
    rule = _by_rule(name, pool)
    own = (shipped or {}).get(name)
    if own is None:
        if rule is None:
            raise CellError(f"no such sample, got {name!r}{did_you_mean(name, {*_RULES, *(shipped or {})})}")
        return rule
    sample = _sample(name, "shipped with the suite", None, tuple(own), pool)
    if rule is None:
        return sample
    if rule.ids_digest != sample.ids_digest:
        raise CellError(f"the suite ships other ids as {name!r} than {rule.algorithm} gives; its pool has changed")
    return rule


def _by_rule(name: str, pool: list[str]) -> Sample | None:
    if name == "all":
        return _sample(name, "sorted(ids)", None, tuple(pool), pool)
    if (first := _FIRST.fullmatch(name)) is not None:
        size = _size(name, first["size"], pool)
        return _sample(name, f"sorted(ids)[:{size}]", None, tuple(pool[:size]), pool)
    if (seeded := _SEEDED.fullmatch(name)) is None:
        return None
    seed, size = int(seeded["seed"]), _size(name, seeded["size"], pool)
    drawn = random.Random(seed).sample(pool, size)
    algorithm = f"random.Random({seed}).sample(sorted(ids), {size})"
    if seeded["rest"] is None:
        return _sample(name, algorithm, seed, tuple(drawn), pool)
    rest = tuple(one for one in pool if one not in set(drawn))
    if not rest:
        raise CellError(f"the sample {name!r} is empty: {name.removesuffix('-dev')} takes the pool's {len(pool)} tasks")
    return _sample(name, f"all but {algorithm}", seed, rest, pool)


def _size(name: str, digits: str, pool: list[str]) -> int:
    if int(digits) > len(pool):
        raise CellError(f"the sample {name!r} asks for {digits} tasks, and the suite has {len(pool)}")
    return int(digits)


def _sample(name: str, algorithm: str, seed: int | None, ids: tuple[str, ...], pool: list[str]) -> Sample:
    unknown = [one for one in ids if one not in set(pool)]
    if unknown:
        raise CellError(f"the suite has no task {shown(unknown[0])}{did_you_mean(unknown[0], pool[:2000])}")
    if len(set(ids)) != len(ids):
        raise CellError(f"the sample {name!r} names a task twice")
    return Sample(name, algorithm, seed, ids_digest(pool), ids_digest(ids), ids)

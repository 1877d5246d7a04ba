"""Several imports of one system as one: of the same suite replicates, of different suites panels."""

from collections.abc import Sequence
from dataclasses import replace

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.importers.imported import Imported
from arena.records.importers.rows import MOST_REPLICATES
from arena.records.run import Panel
from arena.spec.factors import Scalar
from arena.spec.sample import ids_digest


def join(parts: Sequence[Imported]) -> Imported:
    """Return the imports as one; raises `RecordError` where they say different things of the system."""
    first = parts[0]
    if len(parts) == 1:
        return first
    _refuse_twice(parts)
    suites = dict.fromkeys(panel.suite for part in parts for panel in part.panels)
    stacked = [_stacked(suite, parts) for suite in suites]
    names = dict.fromkeys(name for part in parts for name in part.score_names)
    return Imported(
        format="+".join(dict.fromkeys(part.format for part in parts)),
        source="\n".join(part.source for part in parts),
        episodes=tuple(episode for _, episodes in stacked for episode in episodes),
        panels=tuple(panel for panel, _ in stacked),
        score_names=tuple(names),
        unreadable=tuple(one for part in parts for one in part.unreadable),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        known=_known(parts),
        published=first.published if len(suites) == len(parts) else (),
        files={f"{index}/{name}": one for index, part in enumerate(parts) for name, one in part.files.items()},
    )


def _refuse_twice(parts: Sequence[Imported]) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for part in parts:
        content = tuple(sorted(part.files.values()))
        if content and content in seen:
            raise RecordError(f"{part.source}: the same files as {seen[content]}; a copy is no replicate")
        seen[content] = part.source


def _known(parts: Sequence[Imported]) -> dict[str, Scalar]:
    known: dict[str, Scalar] = {}
    for part in parts:
        for path, value in part.known.items():
            if known.setdefault(path, value) != value:
                raise RecordError(
                    f"{part.source}: {path} is {value}, and the records before it have {known[path]}: two systems"
                )
    return known


def _stacked(suite: str, parts: Sequence[Imported]) -> tuple[Panel, list[Episode]]:
    """Put the panels of one suite after each other, each with its own replicates."""
    own = [(part, panel) for part in parts for panel in part.panels if panel.suite == suite]
    definitions = sorted({panel.score_definition for _, panel in own})
    if len(definitions) > 1:
        raise RecordError(f"{suite}: scores of different definitions, {' and '.join(definitions)}, are no replicates")
    tasks = tuple(dict.fromkeys(task for _, panel in own for task in panel.task_ids))
    digest = ids_digest(tasks)
    total = sum(panel.replicates for _, panel in own)
    if total > MOST_REPLICATES:
        raise RecordError(f"{suite}: {total} replicates; {MOST_REPLICATES} can be read")
    absent: list[tuple[str, int]] = []
    episodes: list[Episode] = []
    before = 0
    for part, panel in own:
        gone = set(panel.absent) | {
            (task, number) for task in set(tasks) - set(panel.task_ids) for number in range(1, panel.replicates + 1)
        }
        absent += sorted((task, number + before) for task, number in gone)
        episodes += [
            replace(one, replicate=one.replicate + before, sample_digest=digest)
            for one in part.episodes
            if one.suite == suite
        ]
        before += panel.replicates
    return replace(own[0][1], task_ids=tasks, sample_digest=digest, replicates=total, absent=tuple(absent)), episodes

import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError, ServeError
from arena.execute.episode_key import EpisodeKey, in_episode
from arena.execute.serving.scripted import seeded, start
from arena.execute.serving.serving import ServeSpec


def spec(folder: Path, **arguments: object) -> ServeSpec:
    return ServeSpec(folder, None, (), "none", arguments=arguments)


async def first_answer(given: ServeSpec, task: str, replicate: int = 1) -> Any:
    with start(given) as served, in_episode(EpisodeKey("s", task, replicate, 1)):
        return await served.model(None).generate("It is broken.")


async def test_gold_solves_a_seeded_share_and_the_same_one_each_time(tmp_path: Path) -> None:
    tasks = [f"t{number}" for number in range(100)]
    (tmp_path / "gold.json").write_text(json.dumps(dict.fromkeys(tasks, "a patch\n")))
    given = spec(tmp_path, script="arena.execute.serving.scripts:gold", patches=str(tmp_path / "gold.json"), share=0.3)

    solved = [[bool((await first_answer(given, task)).completion) for task in tasks] for _ in range(2)]

    assert solved[0] == solved[1]
    assert 15 <= sum(solved[0]) <= 45


async def test_usage_is_said_so_that_nothing_is_looked_up(tmp_path: Path) -> None:
    output = await first_answer(spec(tmp_path, script="arena.execute.serving.scripts:silent"), "t")

    assert output.usage.input_tokens == len("It is broken.") // 4
    assert output.usage.output_tokens > 0


async def test_a_scripted_model_belongs_into_an_episode(tmp_path: Path) -> None:
    given = spec(tmp_path, script="arena.execute.serving.scripts:silent")

    with start(given) as served, pytest.raises(ServeError, match="outside an episode"):
        await served.model(None).generate("hello")


@pytest.mark.parametrize("script", [None, 3, "nothing", "arena.execute.serving.scripts:golden"])
def test_a_script_that_is_none_is_refused(tmp_path: Path, script: object) -> None:
    with pytest.raises(ArenaError), start(spec(tmp_path, script=script)):
        pass


def test_a_seed_depends_on_every_part_and_on_where_one_ends() -> None:
    drawn = {seeded(*parts).random() for parts in (("a", 1), ("a", 2), ("a1", ""), ("", "a1"))}

    assert len(drawn) == 4
    assert seeded("a", 1).random() == seeded("a", 1).random()

import pytest
from pydantic import Field

from arena.errors import TrainError
from trainers.settings import Settings, settings_of
from trainers.sft import SftSettings


class Inner(Settings):
    rank: int = 1


class Outer(Settings):
    inner: Inner | None = None
    count: int = Field(1, gt=0)


def test_an_unknown_key_is_refused_with_the_nearest_one():
    with pytest.raises(TrainError, match=r"recipe.with: cuont: unknown key; did you mean 'count'\?"):
        settings_of(Outer, {"cuont": 2})


def test_a_key_inside_a_section_is_refused_with_the_section_s_own_keys():
    with pytest.raises(TrainError, match=r"inner.rnk: unknown key; did you mean 'rank'\?"):
        settings_of(Outer, {"inner": {"rnk": 2}})


def test_every_problem_is_named_with_what_was_got():
    with pytest.raises(TrainError) as caught:
        settings_of(Outer, {"count": 0, "inner": {"rank": "many"}})
    assert "count: input should be greater than 0, got 0" in str(caught.value)
    assert "inner.rank: " in str(caught.value)
    assert "got 'many'" in str(caught.value)


def test_a_recipe_as_cells_have_it_is_understood():
    settings = settings_of(SftSettings, {"epochs": 2, "lora": {"r": 16}, "data": "rows.jsonl"})
    assert settings.lora is not None
    assert (settings.lora.r, settings.peak) == (16, 2e-4)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.terminal_reward import RewardError, reward_of


@pytest.mark.parametrize(("text", "reward"), [("1", 1.0), ("0\n", 0.0), (" 1.0 \n", 1.0), (".5", 0.5), ("1e-3", 0.001)])
def test_a_number_in_reward_txt_is_the_reward(text: str, reward: float) -> None:
    assert reward_of(None, text) == reward


@pytest.mark.parametrize("text", ["", "yes", "nan", "inf", "-1", "1.1", "1e9", "0_1", "1 1", "0x1", "١", "true"])
def test_anything_else_there_is_refused(text: str) -> None:
    with pytest.raises(RewardError, match=r"reward\.txt"):
        reward_of(None, text)


@pytest.mark.parametrize(("text", "reward"), [('{"reward": 1}', 1.0), ('{"reward": 0.25, "speed": 9}', 0.25)])
def test_reward_json_comes_before_reward_txt(text: str, reward: float) -> None:
    assert reward_of(text, "0.75") == reward


@pytest.mark.parametrize(
    "text",
    ["", "{", "1", "[1]", "{}", '{"score": 1}', '{"reward": "1"}', '{"reward": true}', '{"reward": NaN}',
     '{"reward": 2}', '{"reward": -0.1}', '{"reward": 1e999}', "[" * 100_000],
)  # fmt: skip
def test_a_reward_json_that_cannot_be_read_is_not_made_good_by_reward_txt(text: str) -> None:
    with pytest.raises(RewardError, match=r"reward\.json"):
        reward_of(text, "1")


def test_no_file_is_no_reward() -> None:
    assert reward_of(None, None) is None


@given(st.text(max_size=30))
def test_whatever_is_written_is_a_reward_in_range_or_refused(text: str) -> None:
    for given_ in ((text, None), (None, text)):
        try:
            reward = reward_of(*given_)
        except RewardError:
            continue
        assert reward is not None
        assert 0 <= reward <= 1

import pytest

from arena.errors import HarnessError
from solvers.react import solver


def test_an_unknown_parameter_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(HarnessError, match=r"'mesage_limit' is no parameter; did you mean 'message_limit'\?"):
        solver(mesage_limit=3)


def test_a_parameter_like_no_other_is_refused_with_all_valid_ones() -> None:
    with pytest.raises(HarnessError, match="there are: command_timeout_s, cost_limit"):
        solver(zzz=3)


@pytest.mark.parametrize("given", ["60", 6.5, True, 0, -1])
def test_a_limit_of_the_wrong_kind_is_refused(given: object) -> None:
    with pytest.raises(HarnessError, match=r"solvers\.react: message_limit: .*got"):
        solver(message_limit=given)


def test_whole_seconds_are_seconds() -> None:
    assert solver(wall_s=90).limits.wall_s == 90


def test_a_harness_without_an_end_is_refused() -> None:
    with pytest.raises(HarnessError, match="for ever"):
        solver(message_limit=None, wall_s=10)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.execute.tool_output import command_output, cut_middle, exit_line
from solvers.tools import replaced


def test_output_is_stdout_then_stderr_then_the_exit_code() -> None:
    assert command_output("a\nb\n", "oh\n", exit_line(2), 100) == "a\nb\noh\n[exit code 2]"


def test_a_command_that_says_nothing_and_succeeds_shows_nothing() -> None:
    assert command_output("", "", exit_line(0), 100) == ""


@given(st.text(max_size=300), st.integers(1, 200))
def test_a_cut_keeps_head_and_tail_and_says_how_much_went(text: str, limit: int) -> None:
    shown = cut_middle(text, limit)

    if len(text) <= limit:
        assert shown == text
    else:
        assert shown.startswith(text[: limit // 2])
        assert shown.endswith(text[len(text) - (limit - limit // 2) :])
        assert f"\n[{len(text) - limit} characters cut]\n" in shown


def test_the_one_occurrence_is_replaced_and_other_bytes_stay() -> None:
    assert replaced(b"\xff a = 1\r\n", "a = 1", "a = 2", "f") == b"\xff a = 2\r\n"


@pytest.mark.parametrize(
    ("old", "answer"),
    [("x", "old text occurs 2 times in f.py"), ("z", "old text not found in f.py"), ("", "old text is empty")],
)
def test_what_cannot_be_replaced_is_said_in_words(old: str, answer: str) -> None:
    assert replaced(b"x y x", old, "new", "f.py") == answer

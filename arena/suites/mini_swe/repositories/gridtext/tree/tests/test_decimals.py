import pytest

from gridtext.decimals import group_digits, is_number, line_up


@pytest.mark.parametrize("text", ["1", "-2.5", "+3", "1,000.5", ".5"])
def test_numbers(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "-", "1.2.3", "n/a"])
def test_other_texts(text):
    assert not is_number(text)


def test_tails_are_padded_to_the_longest():
    assert line_up(["1.5", "10", "2.25"]) == ["1.5 ", "10   ", "2.25"]


def test_whole_numbers_stay_as_they_are():
    assert line_up(["1", "10"]) == ["1", "10"]


def test_other_texts_are_left_alone():
    assert line_up(["n/a", "1.5"]) == ["n/a", "1.5"]


def test_other_texts_do_not_count_for_the_longest():
    assert line_up(["v1.2.3", "1.5"]) == ["v1.2.3", "1.5"]


@pytest.mark.parametrize(
    ("number", "text"), [(7, "7"), (1000, "1,000"), (123456, "123,456"), (1234567, "1,234,567")]
)
def test_digits_are_grouped(number, text):
    assert group_digits(number) == text


def test_negative_numbers_keep_their_sign():
    assert group_digits(-123456) == "-123,456"


def test_groups_may_have_another_mark():
    assert group_digits(1234567, "_") == "1_234_567"

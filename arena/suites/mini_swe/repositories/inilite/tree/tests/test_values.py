import pytest

from inilite.values import as_boolean, as_duration, as_integer, as_list, as_size


@pytest.mark.parametrize("text", ["yes", "True", "on\n", "1"])
def test_words_for_true(text):
    assert as_boolean(text) is True


@pytest.mark.parametrize("text", ["no", "FALSE", "off", "0"])
def test_words_for_false(text):
    assert as_boolean(text) is False


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="neither"):
        as_boolean("maybe")


def test_integers():
    assert as_integer(" 42 ") == 42


def test_underscores_group_digits():
    assert as_integer("1_000") == 1000


def test_hexadecimal_integers():
    assert as_integer("0xFF") == 255


def test_lists_are_split_at_commas():
    assert as_list("a, b,c") == ["a", "b", "c"]


def test_lists_are_split_at_line_ends():
    assert as_list("a\nb") == ["a", "b"]


def test_empty_items_are_dropped():
    assert as_list("a,, b,") == ["a", "b"]


def test_lists_may_have_another_separator():
    assert as_list("a:b", ":") == ["a", "b"]


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("2m", 120), ("1h", 3600), ("1d", 86400)])
def test_durations_with_one_unit(text, seconds):
    assert as_duration(text) == seconds


def test_durations_add_up():
    assert as_duration("1h30m") == 5400


def test_the_last_number_of_a_duration_needs_no_unit():
    assert as_duration("1m30") == 90


@pytest.mark.parametrize(("text", "size"), [("512", 512), ("4k", 4096), ("2M", 2097152), ("1g", 1073741824)])
def test_sizes(text, size):
    assert as_size(text) == size


def test_a_size_may_end_in_b():
    assert as_size("4KB") == 4096

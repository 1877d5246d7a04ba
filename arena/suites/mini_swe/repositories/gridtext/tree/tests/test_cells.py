import pytest

from gridtext.cells import center, char_width, clip, pad_left, pad_right, split_word, take, text_width, wrap


def test_wide_characters_take_two_places():
    assert text_width("日本") == 4


def test_combining_characters_take_none():
    assert char_width("\u0301") == 0


def test_padding_on_the_right():
    assert pad_right("ab", 4) == "ab  "


def test_padding_on_the_left():
    assert pad_left("ab", 4) == "  ab"


def test_padding_counts_places():
    assert pad_right("日", 4) == "日  "


def test_centering():
    assert center("ab", 6) == "  ab  "


def test_an_odd_blank_goes_to_the_right():
    assert center("ab", 5) == " ab  "


def test_too_wide_a_text_is_not_centered():
    assert center("abc", 2) == "abc"


def test_taking_the_start():
    assert take("abcdef", 3) == "abc"


def test_half_of_a_wide_character_is_not_taken():
    assert take("a日", 2) == "a"


def test_a_short_text_is_not_clipped():
    assert clip("abc", 3) == "abc"


def test_a_long_text_is_clipped_with_an_ellipsis():
    assert clip("abcd", 3) == "ab…"


def test_a_clipped_wide_text_fits():
    assert text_width(clip("日本語", 4)) <= 4


def test_text_is_wrapped_between_words():
    assert wrap("the quick brown fox", 9) == ["the quick", "brown fox"]


def test_words_that_fit_exactly_stay_together():
    assert wrap("ab cd", 5) == ["ab cd"]


def test_long_words_are_broken():
    assert wrap("abcdefg", 3) == ["abc", "def", "g"]


def test_text_goes_on_after_a_broken_word():
    assert wrap("abcde fg", 3) == ["abc", "de", "fg"]


def test_short_rests_are_joined_with_the_next_word():
    assert wrap("abcdef g h", 5) == ["abcde", "f g h"]


def test_an_empty_text_is_one_empty_line():
    assert wrap("", 5) == [""]


@pytest.mark.parametrize(("word", "pieces"), [("abcd", ["ab", "cd"]), ("abc", ["ab", "c"]), ("ab", ["ab"])])
def test_words_are_split_into_pieces(word, pieces):
    assert split_word(word, 2) == pieces


def test_a_wide_character_in_a_narrow_column_is_a_piece():
    assert split_word("日本", 1) == ["日", "本"]

import pytest

from linediff import unified
from linediff.unified import line_range

NUMBERS = "".join(f"{number}\n" for number in range(1, 21))


def test_equal_texts_make_no_patch():
    assert unified("a\n", "a\n") == ""


def test_a_patch_names_the_files():
    assert unified("a\n", "b\n", "old.txt", "new.txt").startswith("--- old.txt\n+++ new.txt\n")


def test_a_replaced_line():
    assert unified("a\nb\nc\n", "a\nx\nc\n") == "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"


def test_context_is_three_lines_by_default():
    patch = unified(NUMBERS, NUMBERS.replace("10\n", "ten\n"))
    assert patch.split("\n")[2:-1] == ["@@ -7,7 +7,7 @@", " 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"]


def test_context_can_be_chosen():
    patch = unified(NUMBERS, NUMBERS.replace("10\n", "ten\n"), context=1)
    assert patch.split("\n")[2:-1] == ["@@ -9,3 +9,3 @@", " 9", "-10", "+ten", " 11"]


def test_later_hunks_count_earlier_insertions():
    after = NUMBERS.replace("2\n", "2\n2a\n", 1).replace("19\n", "x\n")
    assert "@@ -16,5 +17,5 @@" in unified(NUMBERS, after)


def test_context_ends_with_the_text():
    patch = unified("a\nb\n", "a\nc\n", context=5)
    assert patch.split("\n")[2] == "@@ -1,2 +1,2 @@"


def test_a_missing_line_end_is_noted():
    assert unified("a\n", "a").split("\n")[3:-1] == ["-a", "+a", "\\ No newline at end of file"]


def test_case_can_be_ignored():
    assert unified("Abc\n", "aBC\n", ignore_case=True) == ""


def test_case_counts_by_default():
    assert unified("Abc\n", "abc\n") != ""


@pytest.mark.parametrize("after", ["a  b\n", "a\tb\n", "a b \n"], ids=["two", "tab", "end"])
def test_space_can_be_ignored(after):
    assert unified("a b\n", after, ignore_space=True) == ""


def test_blanks_in_front_are_not_ignored_altogether():
    assert unified("a\n", " a\n", ignore_space=True) != ""


def test_ignored_differences_keep_the_old_text_as_context():
    patch = unified("A\nb\n", "a\nc\n", ignore_case=True)
    assert patch.split("\n")[3:-1] == [" A", "-b", "+c"]


@pytest.mark.parametrize(("start", "end", "text"), [(0, 3, "1,3"), (4, 5, "5"), (4, 4, "4,0"), (0, 0, "0,0")])
def test_line_ranges(start, end, text):
    assert line_range(start, end) == text

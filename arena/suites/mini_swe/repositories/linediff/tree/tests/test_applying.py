import pytest

from linediff import PatchError, apply, unified
from linediff.applying import reverse
from linediff.parsing import parse

NUMBERS = "".join(f"{number}\n" for number in range(1, 31))

PAIRS = {
    "replaced": ("a\nb\nc\n", "a\nx\nc\n"),
    "inserted": ("a\nb\n", "a\nx\ny\nb\n"),
    "deleted": ("a\nb\nc\n", "a\nc\n"),
    "from-nothing": ("", "a\nb\n"),
    "to-nothing": ("a\nb\n", ""),
    "end-lost": ("a\nb\n", "a\nb"),
    "end-gained": ("a\nb", "a\nb\n"),
    "no-end": ("a\nb", "x\nb"),
    "blank-lines": ("a\n\n\nb\n", "a\n\nb\n"),
    "two-hunks": (NUMBERS, NUMBERS.replace("2\n", "", 1).replace("28\n", "x\ny\n")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_patches_apply(name):
    before, after = PAIRS[name]
    assert apply(before, unified(before, after)) == after


@pytest.mark.parametrize("name", PAIRS)
def test_reversed_patches_undo(name):
    before, after = PAIRS[name]
    assert apply(after, reverse(unified(before, after))) == before


def test_a_reversed_patch_names_the_files_the_other_way_round():
    assert reverse(unified("a\n", "b\n", "old", "new")).startswith("--- new\n+++ old\n")


def test_a_patch_applies_further_down():
    patch = unified("a\nb\nc\n", "a\nx\nc\n")
    assert apply("1\n2\na\nb\nc\n", patch) == "1\n2\na\nx\nc\n"


def test_a_patch_applies_further_up():
    patch = unified(NUMBERS, NUMBERS.replace("20\n", "x\n"))
    shorter = NUMBERS.removeprefix("1\n2\n3\n")
    assert apply(shorter, patch) == shorter.replace("20\n", "x\n")


def test_the_nearest_place_is_taken():
    patch = "@@ -4,1 +4,1 @@\n-a\n+x\n"
    assert apply("a\n1\na\n2\n3\n4\na\n", patch) == "a\n1\nx\n2\n3\n4\na\n"


def test_the_offset_is_limited():
    patch = unified("a\nb\n", "a\nx\n")
    with pytest.raises(PatchError, match="hunk 1 does not apply near line 1"):
        apply("1\n" * 5 + "a\nb\n", patch, max_offset=4)


def test_an_offset_at_the_limit_is_allowed():
    patch = unified("a\nb\n", "a\nx\n")
    assert apply("1\n" * 5 + "a\nb\n", patch, max_offset=5) == "1\n" * 5 + "a\nx\n"


def test_later_hunks_follow_the_offset_of_earlier_ones():
    patch = unified(NUMBERS, NUMBERS.replace("2\n", "2\n2a\n", 1).replace("28\n", "y\n"))
    longer = "0\n" * 15 + NUMBERS
    assert apply(longer, patch, max_offset=15).endswith("27\ny\n29\n30\n")


def test_a_hunk_that_is_not_found_is_named():
    patch = unified(NUMBERS, NUMBERS.replace("2\n", "x\n", 1).replace("28\n", "y\n"))
    with pytest.raises(PatchError, match="hunk 2"):
        apply(NUMBERS.replace("27\n", "?\n"), patch)


def test_nonsense_is_no_patch():
    with pytest.raises(PatchError, match="expected a header"):
        parse("hello\n")


def test_unknown_marks_are_refused():
    with pytest.raises(PatchError, match="starts with a blank"):
        parse("@@ -1 +1 @@\n*a\n")


def test_an_empty_range_names_the_line_before_it():
    assert parse("@@ -3,0 +4,2 @@\n+a\n+b\n")[0].start == 3


def test_a_range_without_a_length_is_one_line():
    assert parse("@@ -3 +3 @@\n-a\n+b\n")[0].start == 2

import pytest

from linediff.matching import Block, common_lengths, grown, matching_blocks, similarity


def test_equal_texts_are_one_block():
    assert matching_blocks(list("abc"), list("abc")) == [Block(0, 0, 3)]


def test_different_texts_have_no_block():
    assert matching_blocks(list("abc"), list("xyz")) == []


def test_an_inserted_line_splits_a_block():
    assert matching_blocks(list("ab"), list("axb")) == [Block(0, 0, 1), Block(1, 2, 1)]


def test_a_deleted_line_splits_a_block():
    assert matching_blocks(list("axb"), list("ab")) == [Block(0, 0, 1), Block(2, 1, 1)]


def test_as_many_lines_as_possible_are_common():
    blocks = matching_blocks(list("abcabba"), list("cbabac"))
    assert sum(block.size for block in blocks) == 4


def test_common_lengths_count_the_rests():
    assert common_lengths(["a", "b"], ["b"]) == [[1, 0], [1, 0], [0, 0]]


def test_a_block_grows_where_it_goes_on():
    assert grown([Block(1, 2, 2)], 3, 4) == [Block(1, 2, 3)]


def test_a_gap_in_the_old_text_starts_a_block():
    assert grown([Block(0, 0, 1)], 2, 1) == [Block(0, 0, 1), Block(2, 1, 1)]


def test_a_gap_in_the_new_text_starts_a_block():
    assert grown([Block(0, 0, 1)], 1, 2) == [Block(0, 0, 1), Block(1, 2, 1)]


@pytest.mark.parametrize(
    ("old", "new", "share"), [("ab", "ab", 1.0), ("ab", "cd", 0.0), ("abcd", "ab", 2 / 3), ("", "", 1.0)]
)
def test_similarity(old, new, share):
    assert similarity(list(old), list(new)) == pytest.approx(share)

"""Which lines two texts have in common."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """`size` equal lines, from `old` in the old text and from `new` in the new one."""

    old: int
    new: int
    size: int


def common_lengths(old: list[str], new: list[str]) -> list[list[int]]:
    """Return for each pair of positions how many lines the rests of the two texts have in common at most."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            if old[i] == new[j]:
                lengths[i][j] = lengths[i + 1][j + 1] + 1
            else:
                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])
    return lengths


def matching_blocks(old: list[str], new: list[str]) -> list[Block]:
    """Return the blocks of a longest common subsequence, in order."""
    lengths = common_lengths(old, new)
    blocks: list[Block] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            blocks = grown(blocks, i, j)
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return blocks


def grown(blocks: list[Block], old: int, new: int) -> list[Block]:
    """Add one pair of equal lines: to the last block if it goes on from there, else as a new one."""
    if blocks:
        last = blocks[-1]
        if last.old + last.size == old and last.new + last.size == new:
            return [*blocks[:-1], Block(last.old, last.new, last.size + 1)]
    return [*blocks, Block(old, new, 1)]


def similarity(old: list[str], new: list[str]) -> float:
    """Return the share of lines that two texts have in common, from 0 to 1."""
    total = len(old) + len(new)
    if total == 0:
        return 1.0
    return 2 * sum(block.size for block in matching_blocks(old, new)) / total

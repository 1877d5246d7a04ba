import ast
from itertools import islice
from random import Random

from trainers.tasks import chat, corpus, formats, repairs, rollout


def some(count: int, split: corpus.Split = "train", seed: int = 0) -> list[repairs.Repair]:
    return list(islice(repairs.repairs(seed, split), count))


def test_one_seed_gives_the_same_tasks_and_another_gives_others():
    assert some(12) == some(12)
    assert not {r.issue for r in some(12)} & {r.issue for r in some(12, seed=1)}


def test_a_defect_is_one_change_in_code_that_still_parses():
    for repair in some(60):
        ast.parse(repair.broken)
        ast.parse(repair.right)
        before, after = repair.broken.splitlines(), repair.right.splitlines()
        assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_an_issue_names_its_function_and_its_path():
    for repair in some(40):
        assert f"`{repair.function}`" in repair.issue
        assert f"`{repair.path}`" in repair.issue
        assert repair.does in repair.issue


def test_every_family_is_made():
    assert {repair.family for repair in some(300)} == set(repairs.FAMILIES)


def test_a_transcript_solves_its_own_task_when_it_is_followed():
    for repair in some(40):
        attempt = rollout.Attempt(repair, repair.broken)
        for message in repairs.transcript(repair):
            for made in message.get("tool_calls", ()):
                rollout.answer(attempt, made["function"]["name"], made["function"]["arguments"])
        assert attempt.solved


def test_held_out_code_is_of_other_modules_than_training():
    train, held_out = ({piece.module for piece in corpus.pieces(split)} for split in ("train", "held_out"))
    assert len(held_out) > 10
    assert not train & held_out


def test_renaming_is_one_to_one_and_keeps_what_python_knows():
    text = "def total(items):\n    return sum(item.price.strip() for item in items if isinstance(item, dict))\n"
    changed = 0
    for seed in range(20):
        other = corpus.renamed(text, Random(seed), share=1.0)
        for word in ("def", "return", "sum", "strip", "for", "in", "if", "isinstance", "dict"):
            assert word in other
        words = dict(zip(corpus.WORD.findall(text), corpus.WORD.findall(other), strict=True))
        assert len(set(words.values())) == len(words)
        changed += words["price"] != "price"
    assert changed > 10


def test_the_base_reads_no_issue():
    system = repairs.SYSTEM.format(task_folder=repairs.FOLDER)
    for talk in islice(formats.transcripts(0), 150):
        asked = next(message["content"] for message in talk if message["role"] == "user")
        assert " should " not in asked or "should read" in asked
        said = " ".join(text for text in chat.texts(talk) if text != system)
        assert f"cd {repairs.FOLDER}" not in said

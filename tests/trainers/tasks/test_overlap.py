from itertools import islice

from trainers.disjoint import suite_texts
from trainers.tasks import chat, repairs
from trainers.tasks.overlap import overlap

PATCH = """diff --git a/shapes/area.py b/shapes/area.py
--- a/shapes/area.py
+++ b/shapes/area.py
@@ -10,6 +10,6 @@ def ring(outer, inner):
 def ring_area(outer, inner):
     if inner > outer:
         raise ValueError("the inner radius is the larger one")
-    return PI * outer ** 2 + PI * inner ** 2
+    return PI * outer ** 2 - PI * inner ** 2
"""
TEST = "def test_ring():\n    assert ring_area(2, 1) == pytest.approx(3 * PI)\n    assert ring_area(1, 1) == 0\n"
ISSUE = "`ring_area` in `shapes/area.py` adds the inner disc; it should subtract it."
TEXTS = {"issue": ISSUE, "patch": PATCH, "test": TEST}


def told(*texts: str) -> chat.Messages:
    return [{"role": "user", "content": "Hello."}, *({"role": "tool", "content": text} for text in texts)]


def test_generated_rows_share_nothing_with_any_text_of_the_shipped_suite():
    rows = [repairs.transcript(repair) for repair in islice(repairs.repairs(0), 250)]
    texts = suite_texts("mini_swe")
    assert len(texts) >= 3 * 16
    assert overlap(rows, texts) == []


def test_every_text_of_the_shipped_suite_would_be_found():
    texts = suite_texts("mini_swe")
    leaked = [told("Some words before.", text, "and after.") for text in texts.values()]
    found = {(each.row, each.text) for each in overlap(leaked, texts)}
    assert {row for row, _ in found} == set(range(len(texts)))


def test_an_issue_is_found_whatever_stands_around_it():
    assert [each.text for each in overlap([told(f"Please look: {ISSUE.upper()} Thanks.")], TEXTS)] == ["issue"]


def test_a_patch_is_found_in_a_call_that_applies_it():
    row = [chat.call("edit", path="a.py", old="x", new=PATCH.splitlines()[6][1:] + "\n" + PATCH.splitlines()[8][1:])]
    found = overlap([told("nothing"), row], TEXTS)
    assert [(each.row, each.text) for each in found] == [(1, "patch")]
    assert "the larger one return pi outer" in found[0].words


def test_code_before_the_patch_is_found_in_a_listing():
    before = "\n".join(line[1:] for line in PATCH.splitlines()[4:] if line[0] in " -")
    assert [each.text for each in overlap([told(before)], TEXTS)] == ["patch"]


def test_a_common_line_is_no_overlap():
    assert overlap([told("    if inner > outer:\n        raise ValueError(message)\n    return None\n")], TEXTS) == []


def test_a_text_of_a_few_words_says_nothing_of_its_own():
    assert overlap([told("return value + 1")], {"tiny": "return value + 1"}) == []

import json

import pytest

from arena.errors import LockedError
from arena.report.asked import LEDGER, Asked, answers, asked, question, remember
from arena.report.compare import Rules, compare


@pytest.fixture
def pair(make_run):
    return make_run("base", {"suite": ["pff"]}), make_run("tuned", {"suite": ["ppf"]})


def test_a_comparison_is_remembered_once_and_answered_again(pair, tmp_path):
    first = compare(*pair, "recipe")
    remember(tmp_path, first)
    remember(tmp_path, first)
    remember(tmp_path, compare(*pair, "recipe", Rules(alpha=0.01)))

    assert [one.rules.alpha for one in asked(tmp_path)] == [0.05, 0.01]
    assert question(first) == Asked(pair[0].id, pair[1].id, "recipe", Rules())
    assert answers(asked(tmp_path), pair)[0] == first


def test_a_comparison_of_a_run_that_is_not_there_is_left_out(pair, tmp_path):
    remember(tmp_path, compare(*pair, "recipe"))

    assert answers(asked(tmp_path), pair[:1]) == ()


def test_a_question_that_was_changed_afterwards_is_noticed(pair, tmp_path):
    remember(tmp_path, compare(*pair, "recipe", Rules(alpha=0.05)))
    remember(tmp_path, compare(*pair, "recipe", Rules(alpha=0.01)))
    first, second = (tmp_path / LEDGER).read_text().splitlines()
    line = json.loads(first)
    line["data"]["rules"]["alpha"] = 0.5
    (tmp_path / LEDGER).write_text(json.dumps(line) + "\n" + second + "\n")

    with pytest.raises(LockedError):
        asked(tmp_path)


def test_without_a_ledger_nothing_was_asked(tmp_path):
    assert asked(tmp_path) == ()

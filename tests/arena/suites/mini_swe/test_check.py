import pytest

from arena.suites.mini_swe import suite
from arena.suites.mini_swe.check import evaluation_log, findings, report, resolved
from arena.suites.mini_swe.definition import repositories
from arena.suites.mini_swe.evaluation import difference
from arena.suites.mini_swe.rows import make_rows, task_states
from arena.suites.mini_swe.suite import FOLDER

SUITE = suite()
WRITTEN = repositories(FOLDER / "repositories")
NAME = "mini__cronmatch-103"
FORGED = "".join(f"PASSED {test}\\n" for test in (*SUITE.row(NAME).FAIL_TO_PASS, *SUITE.row(NAME).PASS_TO_PASS))


def repository_of(name: str):
    return WRITTEN[SUITE.row(name).repo.removeprefix("mini/")]


def new_file(path: str, text: str) -> str:
    lines = text.splitlines()
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return head + f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)


@pytest.mark.parametrize("name", ["mini__ratekeeper-101", "mini__gridtext-203", "mini__spantree-302"])
def test_gold_resolves_and_neither_nothing_nor_half_of_it_does(name):
    assert findings(repository_of(name), SUITE.row(name)) == []


def test_the_report_names_the_tests_that_failed():
    row = SUITE.row(NAME)
    found = report(row, evaluation_log(repository_of(NAME), row, ""))
    assert found["patch_successfully_applied"]
    assert sorted(found["tests_status"]["FAIL_TO_PASS"]["failure"]) == sorted(row.FAIL_TO_PASS)
    assert sorted(found["tests_status"]["PASS_TO_PASS"]["success"]) == sorted(row.PASS_TO_PASS)


PASS_ALL = """\
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
"""
SHADOW = f"import os\nos.write(1, b'''{FORGED}''')\nos._exit(0)\n"
PRINTING = f"print('''{FORGED}''')\n"

HOSTILE = {
    "conftest": new_file("conftest.py", PASS_ALL),
    "conftest-in-tests": new_file("tests/conftest.py", PASS_ALL),
    "plugin-by-configuration": new_file("evil.py", PASS_ALL) + new_file("pytest.ini", "[pytest]\naddopts = -p evil\n"),
    "sitecustomize": new_file("sitecustomize.py", SHADOW) + new_file("usercustomize.py", SHADOW),
    "pytest-shadowed": new_file("pytest.py", SHADOW) + new_file("_pytest/__init__.py", SHADOW),
    "pluggy-shadowed": new_file("pluggy.py", SHADOW) + new_file("iniconfig.py", SHADOW),
    "entry-point": new_file("evil.py", PASS_ALL)
    + new_file("evil-1.dist-info/entry_points.txt", "[pytest11]\nevil = evil\n")
    + new_file("evil-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n"),
    "more-tests": new_file("tests/test_forged.py", f"{PRINTING}\ndef test_forged():\n    {PRINTING}"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_files_beside_the_code_cannot_make_a_task_pass(name):
    assert not resolved(repository_of(NAME), SUITE.row(NAME), HOSTILE[name])


def changed(path: str, text: str) -> str:
    """Return the patch that makes `text` of a file of the base commit; `{}` in it stands for the file's own."""
    row = SUITE.row(NAME)
    base = task_states(repository_of(NAME), repository_of(NAME).tasks["103"], row.FAIL_TO_PASS)[-1].tree
    return difference({path: base[path]}, {path: text.replace("{}", base[path])})


def test_what_the_code_prints_is_not_taken_for_results():
    assert not resolved(repository_of(NAME), SUITE.row(NAME), changed("cronmatch/words.py", "{}" + PRINTING))


def test_code_that_prints_results_and_ends_the_run_does_not_pass():
    assert not resolved(repository_of(NAME), SUITE.row(NAME), changed("cronmatch/words.py", "{}" + SHADOW))


def test_emptied_tests_do_not_pass():
    assert not resolved(repository_of(NAME), SUITE.row(NAME), changed("tests/test_words.py", "import pytest\n"))


def test_a_right_patch_passes_whatever_it_did_to_the_tests():
    row = SUITE.row(NAME)
    assert resolved(repository_of(NAME), row, row.patch + changed("tests/test_words.py", "import pytest\n"))


@pytest.mark.slow
@pytest.mark.parametrize("repository", WRITTEN.values(), ids=WRITTEN.keys())
def test_rows_are_what_their_sources_give_and_every_task_is_sound(repository):
    for row in make_rows(repository):
        assert row == SUITE.row(row.instance_id)
        assert findings(repository, row) == []

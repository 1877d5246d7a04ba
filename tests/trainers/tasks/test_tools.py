"""The tools' answers against the real grep and sed."""

import shutil
import subprocess
from itertools import islice

import pytest

from trainers.tasks import repairs, tools

pytestmark = pytest.mark.skipif(not (shutil.which("grep") and shutil.which("sed")), reason="no grep or sed here")

TWICE = """class Near:
    def size(self):
        return 1 + 1


class Far:
    def size(self):
        return 1 + 1

    def other(self):
        a = [1, 2]
        return a[1] * 2
"""


def run(command: str, folder) -> str:
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("text", [TWICE, TWICE + "\n" * 20 + TWICE, TWICE.replace("\n\n\n", "\n" * 14)])
def test_grep_is_what_the_real_one_prints(text, tmp_path):
    (tmp_path / "a.py").write_text(text)
    for name in ("size", "other", "nothing"):
        assert tools.grep_function(text, name) == run(tools.grep_command(name, "a.py", None), tmp_path).rstrip("\n")


def test_substitute_is_what_the_real_sed_does(tmp_path):
    for old, new in ((" + ", " - "), ("[1]", "[0]"), (" * ", " // "), ("a[1] * 2", "a[1]"), ("1", "2")):
        (tmp_path / "a.py").write_text(TWICE)
        for name in ("size", "other"):
            command = tools.substitute_command(name, "a.py", None, (old, new))
            assert command is not None
            (tmp_path / "a.py").write_text(TWICE)
            assert run(command, tmp_path) == ""
            assert (tmp_path / "a.py").read_text() == tools.substitute(TWICE, name, old, new)


def test_words_that_sed_reads_otherwise_are_left_out():
    for old in ("a'b", "a|b", "a\\n", "^a", "a&b", "a$"):
        assert tools.substitute_command("f", "a.py", None, (old, "x")) is None
        assert tools.substitute_command("f", "a.py", None, ("x", old)) is None


def test_edit_says_why_it_did_nothing():
    assert tools.edit("a b", "f.py", "a", "c") == ("c b", "")
    assert tools.edit("a a", "f.py", "a", "c") == ("a a", "old text occurs 2 times in f.py")
    assert tools.edit("b", "f.py", "a", "c") == ("b", "old text not found in f.py")


def test_the_commands_of_a_repair_repair_a_real_file(tmp_path):
    for number, repair in enumerate(islice(repairs.repairs(3), 40)):
        file = tmp_path / str(number) / repair.path
        file.parent.mkdir(parents=True)
        file.write_text(repair.broken)
        found = repairs.commands(repair)
        assert found is not None
        looking, repairing = (command.replace(f"cd {repairs.FOLDER} && ", "") for command in found)
        assert run(looking, tmp_path / str(number)).rstrip("\n") == repairs.shown(repair).rstrip("\n")
        assert run(repairing, tmp_path / str(number)) == ""
        assert file.read_text() == repair.right

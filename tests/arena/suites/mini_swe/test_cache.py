from pathlib import Path

import pytest

from arena.errors import SandboxError
from arena.suites.mini_swe.cache import built_once, cache_folder


def write(text: str):
    return lambda path: path.write_text(text) and None


def test_what_is_there_is_not_built_again(tmp_path):
    built_once(tmp_path / "a" / "file", write("first"))
    assert built_once(tmp_path / "a" / "file", write("second")).read_text() == "first"


def test_nothing_is_left_beside_what_was_built(tmp_path):
    built_once(tmp_path / "file", write("text"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_build_that_fails_leaves_nothing(tmp_path):
    def fail(path: Path) -> None:
        path.write_text("half")
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        built_once(tmp_path / "file", fail)
    assert list(tmp_path.iterdir()) == []


def test_of_two_builders_the_first_wins(tmp_path):
    target = tmp_path / "folder"

    def overtaken(path: Path) -> None:
        path.mkdir()
        (path / "name").write_text("second")
        built_once(target, first)

    def first(path: Path) -> None:
        path.mkdir()
        (path / "name").write_text("first")

    assert (built_once(target, overtaken) / "name").read_text() == "first"


def test_a_cache_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(SandboxError, match=r"cannot be built: .*; set ARENA_CACHE to a folder with room"):
        built_once(tmp_path / "cache" / "file", write("text"))


def test_the_cache_is_where_the_user_says(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"


def test_the_cache_is_in_the_users_cache_folder_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("ARENA_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "arena"

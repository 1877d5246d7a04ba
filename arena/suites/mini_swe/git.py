"""Git repositories whose commits have the same hashes on every machine."""

import os
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from arena.errors import UsageError
from arena.suites.mini_swe.history import Snapshot

BRANCH = "main"


def build(folder: Path, author: str, states: Sequence[Snapshot]) -> str:
    """Make a repository of these states in `folder`, checked out, with no remote; return the last commit's hash."""
    git(folder, "init", "--quiet", "--template=", "--object-format=sha1", f"--initial-branch={BRANCH}", ".")
    git(folder, "config", "core.logAllRefUpdates", "false")
    git(folder, "fast-import", "--quiet", stdin=b"".join(_commit(author, state) for state in states))
    git(folder, "read-tree", BRANCH)
    git(folder, "checkout-index", "--all")
    return git(folder, "rev-parse", BRANCH).strip()


def _commit(author: str, state: Snapshot) -> bytes:
    who = f"{author} {int(state.commit.date.timestamp())} +0000"
    head = f"commit refs/heads/{BRANCH}\nauthor {who}\ncommitter {who}\n".encode()
    files = [f"M 100644 inline {path}\n".encode() + _data(text) for path, text in sorted(state.tree.items())]
    return b"".join([head, _data(state.commit.message.strip() + "\n"), b"deleteall\n", *files, b"\n"])


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n%b\n" % (len(content), content)


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in `folder` with nobody's configuration and return what it printed."""
    environment = {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_DIR": str(folder / ".git"),
        "GIT_WORK_TREE": str(folder),
    }
    command = ["git", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, check=True)
    except FileNotFoundError as cause:
        raise UsageError(f"git was not found in {os.defpath}; mini_swe's repositories need it: install git") from cause
    except subprocess.CalledProcessError as cause:
        raise UsageError(f"git {arguments[0]} failed in {folder}: {cause.stderr.decode().strip()}") from cause
    return done.stdout.decode()


def archive(folder: Path, target: Path) -> None:
    """Pack `folder`'s content, with one owner and one time for all, into a `.tar`."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = 0
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name, filter=plain)

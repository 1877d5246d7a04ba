"""From an environment to what bubblewrap and the helper are told: pure, but for looking at the host's file names."""

import resource
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena.errors import SandboxError
from arena.execute.sandboxes import binaries
from arena.execute.sandboxes.cgroups import LimitsKind
from arena.execute.sandboxes.identity import Identity
from arena.execute.sandboxes.inside.contract import Blueprint, Etc, Folder, Furniture, House, Tree
from arena.suites.environment import BubblewrapEnvironment, HostTree

STAGING = "/.arena"
"""Where the host's trees wait inside the sandbox until the helper has put them in their places."""

USER_ID = 1000
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OPEN_FILES = 4096
_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")

_ETC = (
    *("adduser.conf", "alternatives", "bash.bashrc", "ca-certificates", "debian_version", "default/useradd"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "login.defs", "magic", "mime.types", "os-release"),
    *("pam.d", "perl", "profile", "protocols", "python3", "security", "services", "skel", "ssl/certs"),
    *("ssl/openssl.cnf", "terminfo"),
)
"""The part of /etc that programs need and that says nothing about the host's users or secrets."""

_RESOLVER = Path("/etc/resolv.conf")
"""Copied, for it is often a link into /run, which no sandbox sees."""

_STAGED_ETC = f"{STAGING}/etc"


def helper_blueprint(environment: BubblewrapEnvironment, identity: Identity, kind: LimitsKind) -> Blueprint:
    """Return what the helper is told at its start."""
    house = House(
        user=environment.user,
        workdir=environment.workdir,
        env={"PATH": _PATH, "LANG": "C.UTF-8", **dict(environment.env)},
        rlimits=list(_rlimits(environment, kind)),
        one_user=identity.one_user,
    )
    return Blueprint(furniture=_furniture(environment, identity), house=house, uid=default_uid(environment))


def _user_name(environment: BubblewrapEnvironment) -> str:
    return environment.user if environment.user != "root" else "agent"


def default_uid(environment: BubblewrapEnvironment) -> int:
    return 0 if environment.user == "root" else USER_ID


def system_arguments(environment: BubblewrapEnvironment) -> list[str]:
    """Return bubblewrap's arguments for the namespaces and the host's read-only system."""
    arguments = [*_NAMESPACES, *(() if environment.network else ("--unshare-net",))]
    arguments += ["--hostname", "sandbox", "--new-session", "--clearenv", "--as-pid-1", "--cap-add", "ALL"]
    arguments += ["--ro-bind", "/usr", "/usr"]
    for path in map(Path, ("/bin", "/sbin", "/lib", "/lib32", "/lib64")):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    for folder in ("/etc", "/var", "/var/cache", "/var/lib", "/var/log", "/var/mail"):
        arguments += ["--perms", "0755", "--dir", folder]
    return [*arguments, "--ro-bind", "/etc", _STAGED_ETC, "--proc", "/proc", "--dev", "/dev", "--chdir", "/"]


def _etc(environment: BubblewrapEnvironment, identity: Identity) -> Etc:
    name = _user_name(environment)
    passwd = (
        "root:x:0:0:root:/root:/bin/bash",
        f"{name}:x:{USER_ID}:{USER_ID}:{name}:/home/{name}:/bin/bash",
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    )
    return Etc(
        staged=_STAGED_ETC,
        shown=[*_ETC, *sorted(path.name for path in Path("/etc").glob("java*"))],
        written={
            "passwd": "\n".join(passwd) + "\n",
            "group": f"root:x:0:\n{name}:x:{USER_ID}:\nnogroup:x:65534:\n",
            "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
            "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
            **({"resolv.conf": _RESOLVER.read_text()} if environment.network and _RESOLVER.exists() else {}),
        },
        secret={
            "shadow": f"root:*:19000:0:99999:7:::\n{name}:*:19000:0:99999:7:::\n",
            "gshadow": f"root:*::\n{name}:*::\n",
        },
        writable=not identity.one_user,
    )


def staged_trees(environment: BubblewrapEnvironment) -> list[tuple[HostTree, str]]:
    """Return the read-only trees, each with the place where it waits."""
    trees = [tree for tree in environment.trees if tree.mode == "read_only"]
    return [(tree, f"{STAGING}/tree{number}") for number, tree in enumerate(trees)]


def copied_trees(environment: BubblewrapEnvironment) -> list[HostTree]:
    return [tree for tree in environment.trees if tree.mode == "copy"]


def _furniture(environment: BubblewrapEnvironment, identity: Identity) -> Furniture:
    return Furniture(
        staging=STAGING,
        hidden=[str(prefix)] if (prefix := binaries.python_prefix()) else [],
        disk_mb=environment.disk_mb,
        inodes=environment.inodes,
        folders=list(_folders(environment, identity)),
        trees=[Tree(path=_target(tree), staged=staged) for tree, staged in staged_trees(environment)],
        etc=_etc(environment, identity),
    )


def _folders(environment: BubblewrapEnvironment, identity: Identity) -> Iterator[Folder]:
    """Yield the writable folders; those that a copied tree will bring with it are left to it."""
    name = _user_name(environment)
    # Before the helper takes on the only user's number, every file is root's: no other id exists.
    owner = 0 if identity.one_user else default_uid(environment)
    shared, private = 0o1777, 0o755
    yield from (Folder(path=path, mode=shared, owner=0) for path in ("/tmp", "/var/tmp", "/dev/shm"))
    yield from (Folder(path=path, mode=private, owner=0) for path in ("/run", "/home"))
    yield Folder(path="/root", mode=0o700, owner=0)
    yield Folder(path=f"/home/{name}", mode=private, owner=owner)
    targets = {_place_of(tree) for tree in copied_trees(environment)}
    workdir = _absolute(environment.workdir, "the working folder")
    for path in sorted({*targets, workdir} - {"/"}):
        if path in targets or not any(PurePosixPath(path).is_relative_to(target) for target in targets):
            yield Folder(path=path, mode=private, owner=owner)


def _target(tree: HostTree) -> str:
    target = _absolute(tree.target, "the target of a tree")
    if target == "/":
        raise SandboxError("the target of a tree must be below /: got '/'")
    return target


def _absolute(path: str, what: str) -> str:
    parts = PurePosixPath(path)
    if not parts.is_absolute() or ".." in parts.parts:
        raise SandboxError(f"{what} must be an absolute path without '..': got {path!r}")
    return str(parts)


def _place_of(tree: HostTree) -> str:
    """Return the folder that a copied tree fills: its target, or the folder above it for a single file."""
    target = _target(tree)
    return str(PurePosixPath(target).parent) if is_single_file(tree) else target


def is_single_file(tree: HostTree) -> bool:
    return Path(tree.source).is_file() and not tree.source.endswith(".tar")


def _rlimits(environment: BubblewrapEnvironment, kind: LimitsKind) -> Iterator[tuple[int, int]]:
    yield resource.RLIMIT_CORE, 0
    yield resource.RLIMIT_NOFILE, _OPEN_FILES
    yield resource.RLIMIT_FSIZE, environment.file_mb << 20
    yield resource.RLIMIT_NPROC, environment.pids
    if kind == "rlimit":
        # Not the address space: node and java reserve far more of it than they use.
        yield resource.RLIMIT_DATA, environment.memory_mb << 20

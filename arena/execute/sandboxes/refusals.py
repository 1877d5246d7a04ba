"""Why this kernel refuses sandboxes, as far as it can be read, and what its owner can do about it."""

from pathlib import Path

_SWITCHES = (
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def why_refused() -> str:
    """Return the switches of this kernel that forbid sandboxes, each with its remedy; empty if none is known to."""
    found = [f"{path} is {value}: set {remedy}" for path, value, remedy in _SWITCHES if _read(path) == value]
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    if status.get("Seccomp", "0").strip() != "0":
        found.append("this process runs under a seccomp filter, as in a container: allow it user namespaces")
    return "; ".join(found)


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None

"""Users as the sandbox's own /etc/passwd names them."""


class Account:
    def __init__(self, name: str, uid: int, gid: int, home: str) -> None:
        self.name, self.uid, self.gid, self.home = name, uid, gid, home


def find_account(user: str) -> Account | None:
    """Return the account with this name or number; root and plain numbers need no entry."""
    for name, uid, gid, home in _passwd():
        if user in (name, uid):
            return Account(name, int(uid), int(gid), home)
    if user in ("root", "0"):
        return Account("root", 0, 0, "/root")
    return Account(user, int(user), int(user), "/") if _is_id(user) else None


def _passwd() -> list[tuple[str, str, str, str]]:
    try:
        with open("/etc/passwd", encoding="utf-8", errors="replace") as file:
            rows = [line.rstrip("\n").split(":") for line in file]
    except OSError:
        return []
    return [(row[0], row[2], row[3], row[5]) for row in rows if len(row) >= 7 and _is_id(row[2]) and _is_id(row[3])]


def _is_id(text: str) -> bool:
    """Whether `text` is the number of a user that a sandbox can have."""
    return len(text) <= 5 and text.isascii() and text.isdecimal() and int(text) < 1 << 16

"""Who may do what inside: the helper keeps what it needs, a command gets what its account has."""

import errno
import os
import resource

from arena.execute.sandboxes.inside import kernel
from arena.execute.sandboxes.inside.seccomp import deny_list
from arena.execute.sandboxes.inside.users import Account

_ROOT = frozenset((0, 1, 3, 4, 5, 6, 7, 10, 18))
"""What root keeps: chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service, sys_chroot."""

_HELPER = _ROOT | {8}
"""setpcap takes capabilities away; that no command has it also keeps every command out of the helper's memory."""

_FIRST_VICTIM = b"800"
"""Of what the kernel kills when memory is short: commands go before the helper."""


def limit_helper(*, one_user: bool) -> None:
    """Take from this process, and all that come from it, what no part of the sandbox needs once it is furnished."""
    inherited = frozenset[int]() if one_user else _HELPER
    for capability in range(64):
        if capability not in inherited:
            try:
                kernel.drop_capability(capability)
            except OSError as error:
                if error.errno != errno.EINVAL:  # the last one that this kernel knows was the one before
                    raise
                break
    kernel.hold_capabilities(_HELPER)
    kernel.no_new_privileges()
    kernel.install_filter(deny_list(os.uname().machine))


def become(account: Account, rlimits: list[tuple[int, int]], *, one_user: bool) -> None:
    """Give up every right that the account does not have; nothing of this can be undone."""
    os.setsid()
    for limit, wanted in rlimits:
        hard = resource.getrlimit(limit)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
    _volunteer_for_oom()
    kept = _ROOT if account.uid == 0 and not one_user else frozenset[int]()
    for capability in () if one_user else _HELPER - kept:
        kernel.drop_capability(capability)
    if not one_user:
        os.setgroups([account.gid])
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    kernel.hold_capabilities(kept)
    kernel.set_hidden(True)


def _volunteer_for_oom() -> None:
    # Hidden, a process cannot write there; this one still has rights that keep every command from looking into it.
    kernel.set_hidden(False)
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(descriptor, _FIRST_VICTIM)
        os.close(descriptor)
    except OSError:
        pass  # the order of victims is a nicety
    kernel.set_hidden(True)

"""The script that evaluates a task's repository, in the shape that swebench 5 grades."""

import difflib

from arena.suites.mini_swe.definition import Tree

TESTBED = "/testbed"
LOG_PARSER = "parse_log_pytest_v2"
TEST_SECONDS = 120

# What the agent left must decide about its code alone: pytest comes from the isolated interpreter's own site (-I: no
# PYTHON* variables, nothing of the working folder on the path before pytest is loaded), takes no configuration,
# conftest or plug-in of the repository, and prints nothing that the code under test wrote.
PYTEST = (
    "python -I -B -m pytest -rA -p no:cacheprovider --noconftest -c /dev/null --import-mode=importlib"
    " --tb=no --show-capture=no --disable-warnings --color=no"
)

SCRIPT = """\
#!/bin/bash
set -uxo pipefail
exec 2>&1
cd {testbed}
unset PYTEST_ADDOPTS PYTEST_PLUGINS
export PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 COLUMNS=100 LC_ALL=C.UTF-8 TZ=UTC
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0={testbed}
rm -rf tests
git checkout {base_commit} -- tests
git apply -v - <<'EOF_114329324912'
{test_patch}EOF_114329324912
: '>>>>> Start Test Output'
timeout --kill-after=5 {seconds} {pytest} --rootdir={testbed} -o pythonpath={testbed} tests
: '>>>>> End Test Output'
"""


def eval_script(base_commit: str, test_patch: str) -> str:
    """Return the script that restores the tests of `base_commit`, applies `test_patch` and runs all of them."""
    return SCRIPT.format(
        testbed=TESTBED, base_commit=base_commit, test_patch=test_patch, seconds=TEST_SECONDS, pytest=PYTEST
    )


def difference(before: Tree, after: Tree) -> str:
    """Return the patch from `before` to `after`, two trees of the same files, as git writes it."""
    parts: list[str] = []
    for path in sorted(after):
        old, new = before[path].splitlines(keepends=True), after[path].splitlines(keepends=True)
        if old != new:
            parts.append(f"diff --git a/{path} b/{path}\n")
            parts += difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(parts)

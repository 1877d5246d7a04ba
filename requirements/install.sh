#!/bin/sh
# Make a virtual environment and install what is locked: install.sh FOLDER [PYTHON]
# torch's CPU build where the configured index offers it, else the ordinary build with its CUDA libraries.
set -eu
venv=$1
python=${2:-python3}
here=$(cd "$(dirname "$0")" && pwd)

"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || {
    echo "arena needs Python 3.11 to 3.13, got $("$python" --version 2>&1); say which: make PYTHON=/path/to/python3.11" >&2
    exit 2
}
[ "$(uname -sm)" = "Linux x86_64" ] || {
    echo "the locked requirements are for Linux on x86-64, this is $(uname -sm): install from pyproject.toml" >&2
    exit 2
}
stamp="$venv/.installed"
want=$(cat "$here"/*.txt "$here/../pyproject.toml" | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then exit 0; fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip="$venv/bin/python -m pip --disable-pip-version-check"
torch=$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' "$here/linux-x86_64.txt")
lock="$here/linux-x86_64.txt"
if $pip install -qq --no-deps --dry-run "torch==$torch+cpu" >/dev/null 2>&1; then
    lock="$here/linux-x86_64-cpu.txt"
fi
echo "installing $(basename "$lock") into $venv (about 2 GB; once)"
$pip install -qq --require-hashes --no-deps -r "$lock"
$pip install -qq --no-deps --no-build-isolation --editable "$here/.."
echo "$want" >"$stamp"

#!/bin/bash
set -e
mkdir -p recovered
python3 - <<'END'
import hashlib
from pathlib import Path

BLOCK = 512
data = Path("journal.tar").read_bytes()
wanted = dict(line.split() for line in open("SHA256SUMS"))
for start in range(BLOCK, len(data), BLOCK):
    grown = hashlib.sha256()
    for at in range(start, len(data)):
        grown.update(data[at : at + 1])
        if name := wanted.get(grown.hexdigest()):
            Path("recovered", name).write_bytes(data[start : at + 1])
            break
END
cd recovered
sha256sum --quiet -c ../SHA256SUMS

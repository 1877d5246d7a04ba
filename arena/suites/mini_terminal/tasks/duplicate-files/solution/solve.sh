#!/bin/bash
set -e
python3 - <<'END'
from pathlib import Path

inbox, kept, removed = Path("inbox"), {}, []
for name in sorted(str(path.relative_to(inbox)) for path in inbox.rglob("*") if path.is_file()):
    content = (inbox / name).read_bytes()
    first = kept.setdefault(content, name)
    if content and first != name:
        removed.append(f"{name} = {first}\n")
        (inbox / name).unlink()
Path("removed.txt").write_text("".join(removed))
END

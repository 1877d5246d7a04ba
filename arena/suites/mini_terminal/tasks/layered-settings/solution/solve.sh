#!/bin/bash
set -e
python3 - <<'END'
import configparser
import json
import re
from pathlib import Path

held = {}
for path in sorted(Path("conf").glob("*.ini"), key=lambda path: int(re.match(r"\d+", path.name)[0])):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(path)
    for section in parser.sections():
        held.setdefault(section, {}).update(parser[section])
for line in Path("overrides.env").read_text().splitlines():
    if found := re.fullmatch(r'APP_(\w+?)__(\w+)="?(.*?)"?', line):
        held.setdefault(found[1].lower(), {})[found[2].lower()] = found[3]
settings = {name: {key: value for key, value in keys.items() if value} for name, keys in held.items()}
Path("settings.json").write_text(json.dumps(settings))
END

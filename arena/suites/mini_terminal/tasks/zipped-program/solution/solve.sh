#!/bin/bash
set -e
cat >build.sh <<'END'
#!/bin/bash
# Make dist/almanac.pyz, one file that python3 runs.
set -e
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p dist
python3 -m zipapp src --main almanac.__main__:main --output dist/almanac.pyz
END
cat >src/almanac/__main__.py <<'END'
import sys

from .sayings import saying


def main():
    print(saying(sys.argv[1]))


if __name__ == "__main__":
    main()
END
python3 - <<'END'
from pathlib import Path

file = Path("src/almanac/sayings.py")
text = file.read_text()
text = text.replace("from pathlib import Path", "from importlib.resources import files")
text = text.replace('Path(__file__).parent / "sayings.txt"', 'files("almanac") / "sayings.txt"')
file.write_text(text)
END
./build.sh

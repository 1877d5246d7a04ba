"""Write the hash-locked requirement files from pyproject.toml. Run it after changing a dependency; it needs `uv`.

`linux-x86_64.txt` is what the ordinary index has, torch with its CUDA libraries. `linux-x86_64-cpu.txt` is the same
without them and with torch's CPU build, for an index that offers it. Neither names an index.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONLY_FOR_CUDA = re.compile(r"^(cuda-|nvidia-|triton==)")
REQUIREMENT = re.compile(r"^\S+==", re.MULTILINE)


def main() -> None:
    full = HERE / "linux-x86_64.txt"
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", "report", "--group", "dev", "--generate-hashes"]
    command += ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"]
    command += ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet", "--output-file", str(full)]
    subprocess.run([*command, *sys.argv[1:]], check=True, cwd=HERE.parent)
    starts = [match.start() for match in REQUIREMENT.finditer(full.read_text())]
    text = full.read_text()
    blocks = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    kept = [block for block in blocks if not ONLY_FOR_CUDA.match(block)]
    cpu = [cpu_build(block) if block.startswith("torch==") else block for block in kept]
    (HERE / "linux-x86_64-cpu.txt").write_text("".join(cpu))


def cpu_build(block: str) -> str:
    """Return the requirement for torch's CPU build alone, with the hash that the configured index gives.

    Beside the ordinary build's hashes it would lose: pip prefers what the index itself gives a hash for.
    """
    version = block.removeprefix("torch==").split(maxsplit=1)[0].rstrip(";")
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, f"torch=={version}+cpu"], check=True)
        (wheel,) = Path(folder).iterdir()
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"torch=={version}+cpu \\\n    --hash=sha256:{digest}\n"


if __name__ == "__main__":
    main()

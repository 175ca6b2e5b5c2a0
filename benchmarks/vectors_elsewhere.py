"""Conformance vectors with other versions of numpy and scipy: the same, and verified.

    python benchmarks/vectors_elsewhere.py [--environments FOLDER] [--only ID] [NAME ...]

Makes an environment with the oldest supported numpy and scipy of ``pyproject.toml`` and one with
the newest that the package index has, and runs ``touchstone vectors generate`` and ``touchstone
vectors verify`` there, on a copy of the vectors. The first must leave every file as it is.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environments import EnvironmentFailure, make_environment

ROOT = Path(__file__).parents[1]
PACKAGES = ("numpy", "scipy")
VERSIONS = "import numpy, scipy; print('numpy', numpy.__version__, 'scipy', scipy.__version__)"


def requirements(name: str) -> list[str]:
    """Return what an environment needs: the oldest or the newest numpy and scipy, and the rest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = []
    for line in project["dependencies"]:
        package, _, bound = line.partition(">=")
        oldest = package in PACKAGES and name == "oldest"
        lines.append(f"{package}=={bound}.*" if oldest else line)
    return lines


def checked(name: str, folder: Path, ids: Sequence[str]) -> bool:
    """Print what becomes of the vectors in an environment; return whether all is well."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "requirements.txt")
        file.write_text("\n".join(requirements(name)) + "\n", encoding="utf-8")
        python = make_environment(name, file, folder)
        copied = Path(scratch, "vectors")
        shutil.copytree(ROOT / "vectors", copied)
        elsewhere = [*ids, "--vectors", str(copied)]
        said = [
            _runs(name, [str(python), *arguments])
            for arguments in (
                ["-c", VERSIONS],
                ["-m", "auditor", "vectors", "generate", *elsewhere],
                ["-m", "auditor", "vectors", "verify", *elsewhere],
            )
        ]
        changed = [
            str(path.relative_to(copied))
            for path in sorted(copied.glob("*/*.json"))
            if path.read_bytes() != (ROOT / "vectors" / path.relative_to(copied)).read_bytes()
        ]
    print(f"{name}: {len(changed)} files change", *changed, flush=True)
    return all(said) and not changed


def _runs(name: str, command: list[str]) -> bool:
    """Run a command in the tree and say what it says and how long it took the processor."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = (done.stdout + (done.stderr if done.returncode else "")).strip()
    print(f"{name}: {said} ({seconds:.0f} s of the processor)", flush=True)
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["oldest", "newest"], metavar="NAME")
    parser.add_argument("--environments", type=Path, default=ROOT / "results/vectors/environments")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="some vectors")
    options = parser.parse_args()
    try:
        well = [checked(name, options.environments, options.only) for name in options.names]
    except EnvironmentFailure as failure:
        sys.exit(str(failure))
    sys.exit(not all(well))


if __name__ == "__main__":
    main()

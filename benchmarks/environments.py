"""Environments of their own for packages that are compared or checked.

An environment is made when it is first needed (``python -m venv``, and ``pip install`` of pinned
requirements), and again when its requirements have changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


class EnvironmentFailure(RuntimeError):
    """The requirements of an environment cannot be installed; the message says why in one line."""


def make_environment(
    package: str, requirements: Path, folder: Path, *, clone: Path | None = None
) -> Path:
    """Return the Python of a package's environment, which is made unless it is there.

    Parameters
    ----------
    package : str
        What the environment is called.
    requirements : Path
        A requirements file.
    folder : Path
        Where environments are.
    clone : Path, optional
        A project that is installed as well, in place.

    Raises
    ------
    EnvironmentFailure
        If something cannot be installed.
    """
    place = folder / package
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made_of = place / "requirements.txt"
    wanted = requirements.read_text()
    if made_of.exists() and made_of.read_text() == wanted:
        return python
    shutil.rmtree(place, ignore_errors=True)
    print(f"making the environment of {package} in {place}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    command = [str(python), "-m", "pip", "install", "-q", "-r", str(requirements)]
    if clone is not None:
        command += ["-e", str(clone)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[0] if errors else f"pip ended with status {done.returncode}"
        raise EnvironmentFailure(
            f"{package} cannot be installed ({reason}): is the package index reachable?"
        )
    made_of.write_text(wanted)
    return python

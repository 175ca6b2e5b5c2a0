"""Run the notebooks of ``docs/tutorials/`` and keep what they say.

    python benchmarks/notebooks.py [NAME ...]

A test runs each again and compares, so this is for changes that they show.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
KEPT = ("HOME", "PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR")
"""Kept variables of the environment; others (CI, COLUMNS, PYTEST_ADDOPTS, ...) change outputs."""


def executed(name: str, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook, run from top to bottom in a folder of its own."""
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = Path(sys.executable).parent  # whose python and touchstone its commands mean
    environment["PATH"] = f"{own}{os.pathsep}{environment['PATH']}"
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    ).execute(env={**environment, "LANG": "C.UTF-8"})
    return notebook


def main() -> None:
    """Run some, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    names = parser.parse_args().names or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            notebook = executed(name, Path(folder))
        notebook.metadata.language_info = {"name": "python"}
        nbformat.write(notebook, FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    main()

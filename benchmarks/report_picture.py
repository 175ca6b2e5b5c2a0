"""Draw the head of a report for the README: ``docs/report.png``.

    touchstone audit --results FOLDER; touchstone proofs --results FOLDER
    touchstone report --results FOLDER; python benchmarks/report_picture.py FOLDER

Needs Chromium. The words of the head are kept in the picture, and a test compares them with the
catalogue and the defaults of today.
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

PICTURE = Path(__file__).parents[1] / "docs" / "report.png"
SIZE = (1280, 1099)
"""Pixels: the head, the summary's legend and the first algorithms."""


def head_of(report: str) -> str:
    """Return the words of a report's head, in one line.

    Raises
    ------
    ValueError
        If the text has none.
    """
    found = re.search(r'<header class="top">(.*?)</header>', report, re.DOTALL)
    if found is None:
        raise ValueError("no report: it has no head")
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found[1])).split())


def words() -> str:
    """Return the words of the head that the picture shows."""
    with Image.open(PICTURE) as picture:
        return str(picture.info["Description"])


def draw(report: Path) -> None:
    """Take the picture of a report."""
    about = PngInfo()
    about.add_itxt("Description", head_of(report.read_text(encoding="utf-8")))
    width, height = SIZE
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder) / "report.png"
        options = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--screenshot={taken}"]
        size = f"--window-size={width},{height}"
        address = report.resolve().as_uri()
        subprocess.run(["chromium", *options, size, address], check=True, capture_output=True)
        with Image.open(taken) as picture:
            few = picture.convert("RGB").quantize(256)  # half the bytes
    few.save(PICTURE, pnginfo=about, optimize=True)


def main() -> None:
    """Draw the report of a folder of results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    draw(parser.parse_args().results / "report.html")


if __name__ == "__main__":
    main()

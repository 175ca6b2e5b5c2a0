"""Metadata of the project, for indexes and citations."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_one_version_everywhere() -> None:
    version = PROJECT["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.M) == [version]
    released = re.findall(r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", changelog, re.M)
    assert released[0] == version
    assert re.search(r"^## \[Unreleased\]$", changelog, re.M)


def test_a_python_that_is_named_is_not_older_than_what_is_required() -> None:
    classifiers = PROJECT["project"]["classifiers"]
    named = [c.rpartition(" ")[2] for c in classifiers if re.search(r":: 3\.\d+$", c)]
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"
    assert f"py{named[0].replace('.', '')}" == PROJECT["tool"]["ruff"]["target-version"]


def test_an_sdist_has_every_file_of_a_clone() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("this is no clone")
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    grafted = re.findall(r"^graft (.*)$", manifest, re.M)
    included = re.findall(r"^include (.*)$", manifest, re.M)[0].split()
    packages = ["auditor", "proofs_checks", "reference"]
    always = ["LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", ".gitignore"]
    data = PROJECT["tool"]["setuptools"]["package-data"]
    for file in map(Path, listed.stdout.splitlines()):
        if file.parts[0] in packages and file.suffix != ".py":
            inside = file.relative_to(file.parts[0])
            assert any(inside.match(pattern) for pattern in data[file.parts[0]]), file
        else:
            assert file.parts[0] in [*grafted, *included, *packages, *always], file

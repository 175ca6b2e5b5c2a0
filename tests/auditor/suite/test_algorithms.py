"""Algorithms that others bring: files and installed packages, names, and what they must be."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from auditor.core.errors import InputError
from auditor.described import builders, modules
from auditor.suite import keys
from auditor.suite.algorithms import Known, known
from reference.catalogue import UnknownAlgorithmError, entries

MODULE = """
    from auditor import Case, Entry, Erratum, Model, PureDP, Relation, Form

    def mean(data, ledger):
        return ledger.laplace(data.mean(), sensitivity=0.1, scale=0.1)

    def an_entry(id, **changes):
        given = {{
            "id": id, "name": "Mean", "sources": (), "model": Model.CENTRAL,
            "relation": Relation.REPLACE_ONE, "privacy_claim": "1-DP",
            "utility_claim": "none", "function": mean, **changes,
        }}
        return Entry(**given)

    def a_form(**options):
        import numpy as np
        pair = np.zeros(10), np.eye(10)[0]
        return Form(mean, PureDP(1.0), pair, 0, {{"n": 10}}, **options)

    def a_case():
        return Case({id!r}, {{"corrected": a_form()}})

    ENTRIES = (an_entry({id!r}),)
    CASES = {{{id!r}: a_case}}
"""


def write(path: Path, more: str = "", *, id: str = "my-mean") -> Path:
    """Write a module with one algorithm, and what else it says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = textwrap.dedent(MODULE).format(id=id) + textwrap.dedent(more)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a test imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    loaded = set(sys.modules)
    forget()
    yield
    for name in set(sys.modules) - loaded:
        del sys.modules[name]
    forget()


def forget() -> None:
    for cached in (
        keys._path, keys._folders, keys._is_installed, keys._distributions, keys._version,
    ):  # fmt: skip
        cached.cache_clear()


def install(folder: Path, package: str, point: str, version: str = "1.0") -> None:
    """Make a package that is found in a folder an installed one with an entry point."""
    info = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[touchstone.cases]\nown = {point}\n")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def heard(lines: list[str], *files: Path) -> Known:
    return known(files, lines.append)


# ------------------------------------------------------------------------------ the papers


def test_by_itself_it_is_the_papers() -> None:
    lines: list[str] = []
    found = heard(lines)
    assert not found.others
    assert not lines
    assert list(found.entries) == list(entries())
    assert dict(found.modules) == dict(modules())
    assert list(found.cases) == list(builders())
    assert found.cases["wang-1"] is builders()["wang-1"]
    assert found.files("wang-1") == ()


# ------------------------------------------------------------------------------------ files


def test_a_file_brings_its_algorithms(tmp_path: Path) -> None:
    path = write(tmp_path / "own_cases.py")
    found = heard([], path)
    assert list(found.entries) == [*entries(), "my-mean"]
    assert list(found.cases) == [*builders(), "my-mean"]
    assert found.cases["my-mean"]().id == "my-mean"
    assert found.modules["my-mean"] == "own_cases"
    assert found.origins == {"my-mean": str(path)}
    assert found.files("my-mean") == (str(path),)
    assert found.folders == (str(tmp_path),)
    assert found.identifiers([str(path), "my-mean", "diss-4.2.24"]) == ["my-mean", "diss-4.1.19"]
    found.require_valid(["my-mean", "wang-1"])
    with pytest.raises(UnknownAlgorithmError, match="did you mean my-mean"):
        found.identifiers(["my-maen"])


def test_a_file_in_a_package_is_that_module(tmp_path: Path) -> None:
    path = write(tmp_path / "home/own_package/deep/cases.py")
    (path.parent / "__init__.py").touch()
    (path.parents[1] / "__init__.py").touch()
    found = heard([], path)
    assert found.modules["my-mean"] == "own_package.deep.cases"
    assert found.folders == (str(tmp_path / "home"),)
    assert heard([], path.with_name("cases.py"), path).origins == found.origins


def test_two_files_bring_both_of_their_algorithms(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("raise RuntimeError")  # hides no module of Python
    one = write(tmp_path / "one_case.py", "import random\nassert random.random() < 1\n")
    two = write(tmp_path / "two_cases.py", id="other")
    assert list(heard([], one, two).others) == ["my-mean", "other"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["json.py"], "its name, 'json', is that of another module; rename"),
        (["numpy.py"], "its name, 'numpy', is that of another module; rename"),
        (["my-cases.py"], "'my-cases' is no name of a module; rename"),
        (["cases.txt"], r"takes a .py file with ENTRIES and CASES, got .*cases.txt"),
        (["a/same.py", "b/same.py"], r"b/same.py cannot be imported: its name, 'same', is that"),
        (["nothing.py"], r"no file .*nothing.py"),
        (["folder.py"], r"no file .*folder.py"),
    ],
)
def test_a_file_that_is_no_module_of_its_own_is_refused(
    tmp_path: Path, names: list[str], message: str
) -> None:
    (tmp_path / "folder.py").mkdir()
    paths = [tmp_path / name for name in names]
    for number, path in enumerate(paths):
        if path.stem not in ("nothing", "folder"):
            write(path, id=f"mean-{number}")
    with pytest.raises(InputError, match=message):
        heard([], *paths)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "raise ValueError('not\\ntoday')",
            r"importing .*own.py failed with ValueError: not",
        ),
        ("raise SystemExit(4)", r"importing .*own.py failed with SystemExit: 4"),
        ("def broken(:", r"importing .*own.py failed with SyntaxError"),
        ("del ENTRIES", "must define ENTRIES, a tuple of auditor.Entry"),
        ("ENTRIES = ENTRIES[0]", "must define ENTRIES, a tuple of auditor.Entry"),
        ("ENTRIES = ('my-mean',)", "must define ENTRIES, a tuple of auditor.Entry"),
        ("ENTRIES, CASES = (), {}", "has no algorithm in ENTRIES"),
        ("del CASES", "must define CASES, a dict: id -> function"),
        ("CASES = {}", "has no case of my-mean; put a function for it into CASES"),
        ("CASES = {'my-mean': a_case()}", "the case of my-mean must be a function without"),
        ("CASES['my-meen'] = a_case", "case of 'my-meen', which ENTRIES lacks; did you mean my-me"),
        ("ENTRIES *= 2", "two of ENTRIES have the same id"),
        ("ENTRIES += (an_entry('wang-1'),); CASES['wang-1'] = a_case", "wang-1 is already an algo"),
        (
            "ENTRIES = (an_entry('my-mean', aliases=('diss-4.2.24',)),)",
            "diss-4.2.24 is already an algorithm of the papers; rename it",
        ),
        ("ENTRIES = (an_entry('../x'),); CASES = {'../x': a_case}", "'../x' cannot be an id"),
        ("ENTRIES = (an_entry('audit'),); CASES = {'audit': a_case}", "'audit' cannot be an id"),
        (
            "ENTRIES = (an_entry('my-mean', printed='nowhere.printed'),)",
            "reading the errata of my-mean failed with ModuleNotFoundError",
        ),
        (
            "ENTRIES = (an_entry('my-mean', printed='reference.errata.em.clipped_gradient_em'),)",
            "erratum 'wang-1/E2' must be called my-mean/E1",
        ),
    ],
)
def test_a_module_that_is_not_as_it_must_be_is_one_line(
    tmp_path: Path, more: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        heard([], write(tmp_path / "own.py", more))
    assert "own.py" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("def a_case():\n    return 1 / 0", "the case of my-mean failed with ZeroDivisionError"),
        ("def a_case():\n    return None", "made no auditor.Case but None"),
        ("def a_case():\n    return Case('x', {'corrected': a_form()})", "made a case called 'x'"),
        (
            "def a_case():\n    return Case('my-mean', {'right': a_form()})",
            "must be called 'correc",
        ),
        (
            "def a_case():\n    form = a_form(violates={'sens': 'x'})\n"
            "    return Case('my-mean', {'corrected': form})",
            "violates 'sens', which is no question",
        ),
        (
            "def a_case():\n    return Case('my-mean', {'corrected': a_form(), 'printed': "
            "a_form(violates={'sensitivity': 'my-mean/E1'})})",
            "my-mean has no erratum my-mean/E1",
        ),
        (
            "ENTRIES = (an_entry('my-mean', relation=Relation.REPLACE_LABEL),)",
            "is about replace-label, but its form 'corrected' claims 1-DP",
        ),
    ],
)
def test_a_case_that_is_not_its_entry_s_is_one_line(
    tmp_path: Path, more: str, message: str
) -> None:
    text = f"{textwrap.dedent(more)}\nCASES = {{'my-mean': a_case}}\n"
    found = heard([], write(tmp_path / "own.py", text))
    with pytest.raises(InputError, match=message) as caught:
        found.require_valid(["my-mean"])
    assert "own.py: " in str(caught.value)


# ------------------------------------------------------------------------ installed packages


def test_an_installed_package_brings_its_algorithms(tmp_path: Path) -> None:
    write(tmp_path / "dp_foo.py")
    install(tmp_path, "dp-foo", "dp_foo", "1.2")
    lines: list[str] = []
    found = heard(lines)
    assert found.origins == {"my-mean": "dp-foo 1.2"}
    assert found.files("my-mean") == found.folders == ()
    assert found.identifiers(["dp-foo"]) == ["my-mean"]
    assert not lines


def test_what_cannot_be_loaded_is_one_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    for name, more in {
        "fine": "",
        "broken": "raise RuntimeError('two\\nlines')",
        "leaving": "import sys; sys.exit(1)",
        "empty": "del CASES",
    }.items():
        write(tmp_path / f"dp_{name}.py", more, id=f"{name}-mean")
        install(tmp_path, f"dp-{name}", f"dp_{name}")
    install(tmp_path, "dp-gone", "dp_gone")
    lines: list[str] = []
    assert list(heard(lines).others) == ["fine-mean"]
    assert lines == [
        "left out: dp-broken 1.0: importing dp_broken failed with RuntimeError: two",
        "left out: dp-empty 1.0 must define CASES, a dict: id -> function that builds a case",
        "left out: dp-gone 1.0: importing dp_gone failed with ModuleNotFoundError: No module named "
        "'dp_gone'",
        "left out: dp-leaving 1.0: importing dp_leaving failed with SystemExit: 1",
    ]


def test_a_name_is_that_of_one_algorithm(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / f"dp_{name}.py")
        install(tmp_path, f"dp-{name}", f"dp_{name}")
    write(tmp_path / "dp_c.py", id="wang-1")
    install(tmp_path, "dp-c", "dp_c")
    lines: list[str] = []
    assert heard(lines).origins == {"my-mean": "dp-a 1.0"}
    assert lines == [
        "left out: dp-b 1.0: my-mean is already an algorithm of dp-a 1.0",
        "left out: dp-c 1.0: wang-1 is already an algorithm of the papers",
    ]


def test_a_file_goes_before_what_is_installed(tmp_path: Path) -> None:
    write(tmp_path / "dp_foo.py")
    install(tmp_path, "dp-foo", "dp_foo")
    own = write(tmp_path / "elsewhere/mine.py")
    lines: list[str] = []
    assert heard(lines, own).origins == {"my-mean": str(own)}
    assert lines == [f"left out: dp-foo 1.0: my-mean is already an algorithm of {own}"]
    # the file of the package itself is no other algorithm
    same: list[str] = []
    assert heard(same, tmp_path / "dp_foo.py").origins == {"my-mean": str(tmp_path / "dp_foo.py")}
    assert not same


# --------------------------------------------------------------------------------- the keys


def test_a_verdict_depends_on_what_is_not_installed_and_on_versions_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helper.py").write_text("import click\n")
    write(tmp_path / "own_cases.py", "import helper\nimport numpy\nimport json\n")
    heard([], tmp_path / "own_cases.py")
    found = keys.Sources()
    names = {n for n in found.dependencies("own_cases") if n.partition(".")[0] not in keys.FOLLOWED}
    assert names == {"own_cases", "helper"}
    assert found.packages("own_cases") == (f"click {metadata.version('click')}",)
    assert keys.code(found, "own_cases")["click"] == metadata.version("click")
    before = found.digest("own_cases")
    (tmp_path / "helper.py").write_text("import click  # edited\n")
    assert keys.Sources().digest("own_cases") != before


def packages_of_own_cases() -> tuple[str, ...]:
    forget()
    return keys.Sources().packages("own_cases")


@pytest.mark.parametrize("from_index", [True, False])
def test_the_same_version_from_a_folder_may_be_other_code(tmp_path: Path, from_index: bool) -> None:
    site = tmp_path / "site-packages"
    install(site, "dp-foo", "dp_foo")
    (site / "dp_foo.py").write_text("x = 1\n")
    info = site / "dp_foo-1.0.dist-info"
    (info / "top_level.txt").write_text("dp_foo\n")

    def record(code: str, command: str) -> None:
        (info / "RECORD").write_text(
            f"dp_foo.py,sha256={code},6\n../../../bin/foo,sha256={command},9\n"
            f"dp_foo-1.0.dist-info/direct_url.json,sha256={command},9\n"
            "__pycache__/dp_foo.cpython-311.pyc,,\n"
        )

    record("abc", "one")
    if not from_index:
        (info / "direct_url.json").write_text('{"url": "file:///somewhere", "dir_info": {}}')
    write(tmp_path / "own_cases.py", "import dp_foo\n")
    heard([], tmp_path / "own_cases.py")
    before = packages_of_own_cases()
    assert before[0].startswith("dp-foo 1.0")
    assert (before == ("dp-foo 1.0",)) == from_index
    record("abc", "two")  # the same code elsewhere
    assert packages_of_own_cases() == before
    record("abd", "two")
    assert (packages_of_own_cases() == before) == from_index


@pytest.mark.parametrize("name", ["compiled", "dp_bar/compiled"])
def test_a_compiled_module_that_is_not_installed_counts_by_its_bytes(
    tmp_path: Path, name: str
) -> None:
    path = (tmp_path / name).with_name(f"compiled{EXTENSION_SUFFIXES[0]}")
    if path.parent != tmp_path:
        path.parent.mkdir()
        path.with_name("__init__.py").write_text("")
    path.write_bytes(b"\x7fELF\0\r\n")
    module = name.replace("/", ".")
    # a case that runs imports it inside of a function, and what is loaded is known by its file
    write(tmp_path / "own_cases.py", f"def later():\n    import {module}\n")
    heard([], tmp_path / "own_cases.py")
    found = keys.Sources()
    assert module in found.dependencies("own_cases")
    before = found.digest("own_cases")
    assert keys.Sources().digest("own_cases") == before
    path.write_bytes(b"\x7fELF\0\n")
    assert keys.Sources().digest("own_cases") != before
    forget()
    sys.modules[module] = loaded = ModuleType(module)
    loaded.__file__ = str(path)
    assert module in keys.Sources().dependencies("own_cases")


def test_of_the_papers_only_the_numerical_libraries_count() -> None:
    found = keys.Sources()
    assert {found.packages(name) for name in modules().values()} == {()}

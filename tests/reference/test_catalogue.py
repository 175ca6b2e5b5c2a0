"""The registry: what an entry must say, and lookup."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

import reference
import reference.errata
from auditor.described import left_out
from reference import catalogue
from reference.catalogue import (
    PAPERS,
    SEVERITIES,
    Entry,
    Paper,
    Sign,
    Source,
    UnknownAlgorithmError,
    entries,
    entry,
    errata,
    withdrawn,
)
from reference.privacy.guarantees import Model, Relation

ENTRY = Entry(
    id="toy-1",
    name="Toy",
    sources=(Source("004", "Algorithm 1", "1-2"),),
    model=Model.LOCAL,
    relation=Relation.REPLACE_ONE,
    privacy_claim="epsilon-DP",
    utility_claim="none stated",
    function=lambda: None,
    aliases=("toy-one",),
)


def test_every_entry_is_complete_and_findable() -> None:
    known = entries()
    assert known
    assert list(known) == sorted(known)
    names = [name for e in known.values() for name in (e.id, *e.aliases)]
    assert len(names) == len(set(names))
    for identifier, e in known.items():
        assert entry(identifier) is e
        assert all(entry(alias) is e for alias in e.aliases)
        assert callable(e.function)
        assert e.function.__doc__
        assert e.sources
        assert e.name
        assert e.privacy_claim
        assert e.utility_claim


def test_unknown_ids_name_the_known_ones() -> None:
    with pytest.raises(
        UnknownAlgorithmError, match=r"unknown algorithm 'nonsense'; known: .*wang-1"
    ):
        entry("nonsense")


def test_errata_are_those_of_the_file_next_door() -> None:
    from reference.errata.em.clipped_gradient_em import ERRATA, FORMS

    known = entry("wang-1")
    assert set(known.errata) == set(ERRATA)
    assert known.printed_forms is FORMS
    assert ENTRY.errata == ENTRY.withdrawn == ENTRY.printed_forms == ()  # no file next door


def test_every_file_of_errata_is_next_door_to_an_algorithm_or_to_what_algorithms_share() -> None:
    for path in Path(reference.errata.__path__[0]).rglob("*.py"):
        name = path.relative_to(reference.errata.__path__[0])
        assert (
            (Path(reference.__path__[0]) / name).exists()
            or name == Path("__init__.py")
            or name.parts[0] == "statements"
        ), name


@pytest.mark.parametrize("name", errata())
def test_every_erratum_is_complete(name: str) -> None:
    erratum = errata()[name]
    assert re.fullmatch(r"[^/]+/E\d+", name)
    assert erratum.severity in SEVERITIES
    assert erratum.reproduced_by.startswith(("audit:", "proofs:", "test:"))
    assert erratum.statement
    assert erratum.truth
    assert erratum.witness
    if erratum.copy_of:
        assert erratum.copy_of != name
        assert not errata()[erratum.copy_of].copy_of, "a copy of a copy"


def test_errata_that_hang_on_the_print_say_how_it_reads_elsewhere() -> None:
    signs = set(get_args(Sign)) - {""}
    assert signs == {"root", "exponent", "prime", "bracket", "index", "hat"}
    for name, erratum in errata().items():
        print_decides = erratum.origin in ("misprint", "unclear")
        assert bool(erratum.elsewhere) == print_decides, name
        assert not erratum.elsewhere.endswith("."), name
        assert not erratum.sign or (print_decides and erratum.sign in signs), name
        assert erratum.in_doubt == bool(erratum.sign)
        # no headline hangs on a sign that the conversion of the text may have lost
        assert not (erratum.in_doubt and erratum.severity == "S1"), name


def test_a_mathematical_error_hangs_on_no_sign() -> None:
    known = next(e for e in errata().values() if e.origin == "mathematical")
    with pytest.raises(ValueError, match="false whatever the typography, and hangs on a sign"):
        replace(known, sign="root")


def test_errata_come_the_worst_first() -> None:
    severities = [erratum.severity for erratum in errata().values()]
    assert severities == sorted(severities)
    for known in entries().values():
        assert [e.severity for e in known.errata] == sorted(e.severity for e in known.errata)


def test_a_number_that_no_erratum_has_was_withdrawn() -> None:
    """Names of an algorithm in the catalogue begin at E1 and have no gap."""
    assert not errata().keys() & withdrawn().keys()
    numbers: dict[str, set[int]] = {}
    for name in [*errata(), *withdrawn()]:
        card, _, number = name.rpartition("/E")
        numbers.setdefault(card, set()).add(int(number))
    catalogued = {name for e in entries().values() for name in (e.id, *e.aliases)}
    for card in numbers.keys() & catalogued:
        assert numbers[card] == set(range(1, max(numbers[card]) + 1)), card
    assert all(item.why.endswith(".") for item in withdrawn().values())


def test_a_name_is_used_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from reference.errata.em import clipped_gradient_em as module

    twice = (*module.ERRATA, module.ERRATA[0])
    monkeypatch.setattr(module, "ERRATA", twice)
    with pytest.raises(RuntimeError, match="have the same name"):
        errata.__wrapped__()


def test_a_broken_file_of_errata_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    known = entry("wang-1")

    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'other'", name="other")

    monkeypatch.setattr(catalogue.importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="other"):
        _ = replace(known).errata


@pytest.mark.parametrize("identifier", entries())
def test_every_printed_form_can_be_described(identifier: str) -> None:
    errata = {erratum.name for erratum in entry(identifier).errata}
    names = [form.name for form in entry(identifier).printed_forms]
    assert len(names) == len(set(names))
    for form in entry(identifier).printed_forms:
        assert form.name == "printed" or form.name.startswith("printed-")
        assert set(form.errata) <= errata
        assert form.errata
        assert form.summary.endswith(".")


@pytest.mark.parametrize("identifier", entries())
def test_a_docstring_names_the_errata_in_which_the_text_differs_from_the_code(
    identifier: str,
) -> None:
    """They are those that a printed form shows, and those of a step of the box."""
    described = entry(identifier)
    shown = {name for form in described.printed_forms for name in form.errata}
    shown |= {
        found.name
        for found in described.errata
        if re.search(r"\b(steps?|line) \d", found.statement)
    }
    words = " ".join(inspect.getdoc(described.function).split())
    missing = {name for name in shown if not re.search(rf"{re.escape(name)}\b", words)}
    assert not missing
    unknown = {
        cited
        for cited in re.findall(r"[\w.-]+/E\d+", words)
        if not any(name.split()[-1] == cited for name in errata())
    }
    assert not unknown


def algorithm_of(identifier: str) -> ast.FunctionDef:
    """Return the entry's function as it is written."""
    function = entry(identifier).function
    (found,) = (
        node
        for node in ast.parse(inspect.getsource(inspect.getmodule(function))).body
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    )
    return found


@pytest.mark.parametrize(
    "identifier",
    [i for i, e in entries().items() if any(s.number.startswith("Algorithm") for s in e.sources)],
)
def test_the_loop_of_the_box_is_in_its_own_function(identifier: str) -> None:
    written = algorithm_of(identifier)
    loops = [node for node in ast.walk(written) if isinstance(node, ast.For)]
    reason = left_out(identifier).get("loop", "")
    assert bool(loops) != bool(reason)
    another = re.search(r"it is (Algorithm [\d.]*\d)", reason)
    if another:  # a box that is another one's for a special case
        text = inspect.getsource(entry(identifier).function)
        assert re.search(rf"# .*{re.escape(another[1])}\b", text)
    if loops:
        nested = [node for node in ast.walk(written) if isinstance(node, ast.FunctionDef)]
        assert nested == [written], "steps behind a closure"


def test_no_two_classes_have_one_name() -> None:
    """Every algorithm has its own ``Constants``, by that name."""
    defined = [
        node.name
        for path in Path(reference.__path__[0]).rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name != "Constants"
    ]
    assert len(defined) > 100
    assert sorted(set(defined)) == sorted(defined)


def test_sources_name_a_known_paper() -> None:
    assert set(PAPERS) == {"000", "001", "002", "003", "004"}
    assert str(Source("003", "Algorithm 1", "1")) == "Hu, Ni, Xiao and Wang (2022), Algorithm 1"
    with pytest.raises(ValueError, match="unknown paper '005'"):
        Source("005", "Algorithm 1", "1")


def test_a_source_may_be_any_other_paper() -> None:
    paper = Paper("Smith", "Answering queries", 2011, "STOC, doi:10.1145/1993636.1993743")
    source = Source(paper, "Algorithm 2")
    assert (source.work, source.label, source.lines) == (paper, "Smith (2011)", "")
    assert str(source) == "Smith (2011), Algorithm 2"
    assert Source("004", "Algorithm 1").work is PAPERS["004"]
    assert Source("004", "Algorithm 1").label == "004"


def test_an_entry_elsewhere_says_where_its_printed_forms_are() -> None:
    assert ENTRY.errata == ENTRY.printed_forms == ENTRY.withdrawn == ()
    elsewhere = replace(ENTRY, printed="reference.errata.em.clipped_gradient_em")
    assert elsewhere.errata == entry("wang-1").errata != ()
    assert elsewhere.printed_forms == entry("wang-1").printed_forms
    with pytest.raises(ModuleNotFoundError):
        _ = replace(ENTRY, printed="reference.nowhere").errata


def test_a_paper_has_an_address() -> None:
    assert PAPERS["000"].url == "https://arxiv.org/abs/2010.13520"
    assert PAPERS["003"].url == "https://doi.org/10.1145/3517804.3524144"
    assert PAPERS["004"].url == ""
    page = Path(__file__).parents[2] / "docs/explanation/five-papers.md"
    text = page.read_text(encoding="utf-8")
    assert all(paper.url in text for paper in PAPERS.values())


def test_one_erratum_is_found_without_the_others() -> None:
    for name in ("wang-2/E3", "diss-3.2.8/E1"):
        assert catalogue.erratum(name) is errata()[name]
    with pytest.raises(KeyError, match="wang-2/E99"):
        catalogue.erratum("wang-2/E99")


def test_a_paper_is_named_and_not_numbered() -> None:
    root = Path(__file__).parents[2]
    texts = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]
    for package in ("reference", "auditor"):
        texts += [path for path in (root / package).rglob("*") if path.suffix in {".py", ".html"}]
    assert len(texts) > 100
    numbered = re.compile(
        r"\bseeds?\s+00\d|\bthe seeds? (has|states?|prints?|uses?|gives?|does)\b", re.I
    )
    found = [str(path) for path in texts if numbered.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_citation_names_the_papers() -> None:
    root = Path(__file__).parents[2]
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    for paper in PAPERS.values():
        assert re.search(rf'"{re.escape(paper.title)}\b.*?year: {paper.year}\b', citation, re.S)


def test_the_same_id_twice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Module:
        __path__ = ("somewhere",)
        __name__ = "reference.em"
        ENTRY = replace(ENTRY, id="twice")

    class Info:
        name = "module"

    monkeypatch.setattr(catalogue.importlib, "import_module", lambda name: Module)
    monkeypatch.setattr(catalogue.pkgutil, "iter_modules", lambda path: [Info])
    with pytest.raises(RuntimeError, match="two entries are called 'twice'"):
        catalogue.entries.__wrapped__()

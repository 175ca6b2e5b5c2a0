"""The site as it is built: every page there, no dead link, and readable on a phone."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.core import addresses
from auditor.core.errors import InputError, InternalError
from auditor.site import guides
from auditor.site.build import MARK, build, dead_links
from auditor.site.certainty import AUDITED, NEITHER, NOT_CHECKED, ProofLink, links, weakest
from auditor.site.content import Content, gather
from auditor.site.pages import Pages, Released
from auditor.site.worst_errors import ERRORS
from auditor.suite.proofs import run_all
from auditor.suite.run import audit
from auditor.suite.store import Settings, Store
from proofs_checks.statement import find, statements
from reference.catalogue import PAPERS, entries, errata, withdrawn

CHECKED = ("000 Theorem 4", "000 (23)", "000 Theorem 1", "002 Lemma 3.1")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """What is known when one algorithm was audited, and four statements were checked."""
    store = Store(tmp_path_factory.mktemp("results"))
    audit(["wang-2"], Settings(), store, workers=1)
    return gather(store, run_all([find(key) for key in CHECKED]))


@pytest.fixture(scope="module")
def site(content: Content, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site; building it warns of nothing, and no link is dead."""
    folder = tmp_path_factory.mktemp("built") / "site"
    number = build(content, folder, base="https://example.org/t", workers=2)
    assert number > 2000
    return folder


def text(site: Path, address: str) -> str:
    """Return the words of a page, without its markup."""
    page = (site / f"{address}.html").read_text(encoding="utf-8")
    main = page.partition("<article")[2].partition("</article>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", main).split())


@pytest.mark.slow
def test_everything_has_its_page(site: Path) -> None:
    wanted = [addresses.of_statement(item.key) for item in statements()]
    wanted += [addresses.of_erratum(name) for name in (*errata(), *withdrawn())]
    wanted += [addresses.of_algorithm(n) for e in entries().values() for n in (e.id, *e.aliases)]
    wanted += [addresses.of_paper(label) for label in PAPERS]
    missing = [address for address in wanted if not (site / f"{address}.html").is_file()]
    assert missing == []


@pytest.mark.slow
def test_a_statement_says_how_bad_it_is_and_how_to_cite_it(site: Path) -> None:
    found = text(site, "000/theorem-4")
    assert "not true S1" in found
    assert "with (23) as printed one record moves the mean without bound" in found
    assert "As corrected" in found
    assert "wang-2/E2" in found
    assert "touchstone proofs '000 Theorem 4'".replace("'", "") in re.sub("&#..;|'", "", found)
    assert "https://example.org/t/000/theorem-4.html" in found
    assert "@misc{touchstone-000-theorem-4" in found
    assert "derived, step checked" in found  # it was checked
    assert "The check was not run for this site" in text(site, "000/theorem-5")


@pytest.mark.slow
def test_an_erratum_leads_to_its_witness_and_to_who_is_affected(site: Path) -> None:
    found = text(site, "errata/wang-2/E2")
    assert "the influence of one record is unbounded" in found
    assert "a gradient of 1000 contributes" in found
    assert "In the audit, printed form, sensitivity: violated" in found
    assert "touchstone rerun results/wang-2.json printed/sensitivity" in found
    assert "reference.em.split_gradient_em:split_gradient_em" in found
    page = (site / "errata/wang-2/E2.html").read_text(encoding="utf-8")
    for target in ("../../algorithms/wang-2.html", "../../000/theorem-4.html"):
        assert f'href="{target}"' in page


@pytest.mark.slow
def test_an_algorithm_shows_its_verdicts_and_its_steps(site: Path) -> None:
    found = text(site, "algorithms/wang-2")
    assert "the releases spend ε 0.9 at δ 0.01" in found
    assert "The weakest link" in found
    assert "def split_gradient_em" in found
    assert "<svg" in (site / "algorithms/wang-2.html").read_text(encoding="utf-8")
    assert "Not audited for this site" in text(site, "algorithms/wang-1")
    assert "is wang-1" in text(site, "algorithms/diss-7.2.55")


@pytest.mark.slow
def test_three_clicks_lead_to_what_is_cited(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="000/index.html"' in start  # 1
    paper = (site / "000/index.html").read_text(encoding="utf-8")
    assert 'href="../000/theorem-4.html"' in paper  # 2: right or not, how bad, and the citation
    assert "Cite it" in text(site, "000/theorem-4")


@pytest.mark.slow
def test_the_errors_that_matter_are_on_one_page(site: Path) -> None:
    found = text(site, "errors-that-matter")
    for name, (title, _) in ERRORS.items():
        assert title in found
        assert name in found
    # seven algorithms share the sensitivity of a covariance matrix
    again = [e.name for e in errata().values() if e.copy_of == "diss-6.1.46/E1"]
    assert len(again) == 6
    assert f"printed again: {', '.join(again)}." in found


@pytest.mark.slow
def test_code_is_said_to_be_wrong_where_an_error_is_one_of_code(site: Path) -> None:
    words = "Code that follows the print is wrong"
    assert words in text(site, "errata/wang-2/E2")  # privacy
    assert words not in text(site, "errata/diss-4.1.19/E1")  # a proof


@pytest.mark.slow
def test_the_api_has_what_is_public_and_nothing_else(site: Path) -> None:
    page = (site / "api/reference.privacy.calibration.html").read_text(encoding="utf-8")
    anchors = set(re.findall(r'id="reference\.privacy\.calibration\.(\w+)"', page))
    assert "exponential_step_epsilon" in anchors
    assert not [name for name in anchors if name.startswith("_")]
    page = (site / "api/auditor.html").read_text(encoding="utf-8")
    functions = {n for n in auditor.__all__ if inspect.isfunction(getattr(auditor, n))}
    assert functions <= set(re.findall(r'id="auditor\.(\w+)"', page))


@pytest.mark.slow
def test_counts_are_the_catalogues(site: Path) -> None:
    found = text(site, "index")
    assert f"{len(entries())} differentially private algorithms" in found
    for label in PAPERS:
        own = sum(item.paper == label for item in statements())
        assert own == 0 or f"{own} numbered statements" in found


@pytest.mark.slow
def test_a_paper_lists_all_its_statements(site: Path) -> None:
    page = (site / "002/index.html").read_text(encoding="utf-8")
    rows = re.findall(
        r'<tr data-verdict="([^"]*)" data-severity="([^"]*)" data-level="([^"]*)"', page
    )
    own = [item for item in statements() if item.paper == "002"]
    assert len(rows) == len(own)
    assert sum(verdict == "not true" for verdict, _, _ in rows) == sum(
        item.expected == "false" for item in own
    )
    assert [level for _, _, level in rows if level] == ["derived, step checked"]


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for name in ("index", "004/index", "api/auditor"):
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img)[^>]*\bsrc="([^"]*)"', page)
        loaded += re.findall(r'<link[^>]*rel="(?:stylesheet|preload)"[^>]*href="([^"]*)"', page)
        assert loaded
        assert not [link for link in loaded if "//" in link]


def test_every_guide_is_under_a_heading() -> None:
    files, listed = guides._files(), guides._pages()
    assert sorted(files.values()) == sorted(listed)  # and no two have one address
    assert len(set(listed)) == len(listed)


def test_a_guide_keeps_its_address_in_whatever_folder_its_file_is() -> None:
    files = guides._files()
    for file, page in {
        "docs/how-to/implement.md": "implement",
        "docs/explanation/assumptions.md": "assumptions",
        "docs/measured/zoo.md": "zoo",
        "docs/experiments/second-order.md": "experiments-second-order",
        "docs/tutorials/reader.ipynb": "tutorials/reader",
        "vectors/README.md": "conformance-vectors",
    }.items():
        assert files[file] == page


def test_a_guide_that_is_nowhere_listed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {title: pages[1:] for title, pages in guides.GROUPS.items()}
    monkeypatch.setattr(guides, "GROUPS", fewer)
    with pytest.raises(InternalError, match="check-your-mechanism"):
        list(guides.guides())


def test_a_notebook_is_a_page_with_its_outputs_and_a_download() -> None:
    page = dict(guides.guides())["guides/tutorials/designer"]
    pictures = dict(guides.pictures())
    for name in ("designer-1.png", "designer-2.png"):
        assert f"]({name})" in page
        assert pictures[f"guides/tutorials/{name}"].startswith(b"\x89PNG")
    assert "epsilon is at least 1.970" in page
    assert '{raw} html\n<p><b style="color: #b3261e">violated</b>' in page
    assert "](/guides/audit-your-own.md)" in page
    assert "<designer.ipynb>" in page
    assert "guides/tutorials/designer.ipynb" in pictures
    assert "\x1b" not in dict(guides.guides())["guides/tutorials/reader"]


@pytest.mark.slow
def test_the_vectors_of_an_algorithm_are_files_of_the_site(site: Path) -> None:
    page = (site / "algorithms" / "wang-1.html").read_text(encoding="utf-8")
    files = re.findall(r'href="\.\./(vectors/[^"]*\.json)"', page)
    assert files == [
        f"vectors/{kind}/wang-1.json" for kind in ("algorithms", "constants", "refusals")
    ]
    for file in files:
        assert (site / file).read_bytes() == (guides.ROOT / file).read_bytes()
    # each with what it is there for, and what it tells apart
    assert "One step on two records, one of whose gradients is clipped to norm 1." in page
    assert "clip_rows is left out in clipped_gradient_em" in page


def test_a_guide_says_of_which_commit_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        ("rev-parse", "--is-shallow-repository"): "false",
        ("log", "-1", "--abbrev=10", "--format=%h, %cs", "--", "docs/measured/zoo.md"): (
            "abc, 2026-01-02"
        ),
    }
    monkeypatch.setattr("auditor.site.content._git", lambda *words: said.get(words, ""))
    pages = dict(guides.guides())
    assert pages["guides/zoo"].endswith("\nLast changed in commit abc, 2026-01-02.\n")
    assert "Last changed" not in pages["guides/vectors"]
    said["rev-parse", "--is-shallow-repository"] = "true"
    assert "Last changed" not in dict(guides.guides())["guides/zoo"]


def test_a_picture_of_a_notebook_needs_words() -> None:
    drawn = {"output_type": "display_data", "data": {"image/png": "AAAA"}, "metadata": {}}
    cell = {"cell_type": "code", "source": "plot()", "outputs": [drawn], "metadata": {}}
    with pytest.raises(InternalError, match=r"mine\.ipynb: a picture has no words"):
        guides._written({"cells": [cell]}, "mine")


def test_links_of_guides_lead_to_the_site() -> None:
    pages = dict(guides.guides())
    assert "](/guides/zoo.md)" in pages["guides/check-your-mechanism"]
    assert not re.findall(r"\]\(\.\./", "".join(pages.values()))


# --------------------------------------------------------------------------------- links


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html">1</a><a href="b.html#here">2</a><a href="c.html">3</a>'
        '<a href="b.html#there">4</a><a href="#self">5</a><a href="https://x.org/">6</a>'
        '<img src="no.png">'
    )
    (tmp_path / "b.html").write_text('<p id="here">')
    assert dead_links(tmp_path) == [
        "a.html: #self", "a.html: b.html#there", "a.html: c.html", "a.html: no.png",
    ]  # fmt: skip


def test_a_folder_with_something_else_is_left_alone(content: Content, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else"):
        build(content, tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def small(monkeypatch: pytest.MonkeyPatch, **pages: str) -> None:
    """Let a site have these pages only."""
    monkeypatch.setattr("auditor.site.build._sources", lambda *_: iter(pages.items()))


def test_an_earlier_site_is_replaced(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site"
    small(monkeypatch, index="# One", other="# Two")
    assert build(content, folder) == 2
    small(monkeypatch, index="# Three")
    assert build(content, folder) == 1
    assert (folder / MARK).exists()
    assert "Three" in (folder / "index.html").read_text()
    assert not (folder / "other.html").exists()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("# One\n\n[two](/two.md)", "Sphinx warns"),
        ("# One\n\n### Three", "Sphinx warns"),
        ('# One\n\n```{raw} html\n<a href="two.html">two</a>\n```', "1 dead links"),
    ],
)
def test_a_warning_and_a_dead_link_stop_the_build(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, words: str
) -> None:
    small(monkeypatch, index=page)
    with pytest.raises(InternalError, match=words):
        build(content, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_without_sphinx_it_says_what_to_install(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch, index="# One")
    monkeypatch.setitem(sys.modules, "sphinx.application", None)
    with pytest.raises(InputError, match=r"pip install 'dp-touchstone\[site\]'"):
        build(content, tmp_path / "site")


def test_an_unknown_year_is_left_out_of_a_citation(content: Content) -> None:
    text = dict(Pages(content, Released("1.0", "abc", "")).all())["errata/wang-2/E2"]
    assert "year =" not in text
    assert "Touchstone 1.0, /errata/wang-2/E2" in text


# ----------------------------------------------------------------------------- certainty


def test_the_weakest_link_is_named(content: Content) -> None:
    found = links(entries()["wang-2"], content)
    by_name = {link.name: link for link in found}
    assert by_name["Noise of a release"].level == AUDITED
    assert by_name["Composition of the releases"].level != AUDITED
    assert "noise of a release" in weakest(found)
    not_audited = links(entries()["diss-5.1-pop"], content)
    assert {link.level for link in not_audited} == {NEITHER}


def test_of_two_weakest_links_both_are_named() -> None:
    strong, weak = "derived, step checked", "checked by search"
    found = [ProofLink("A", strong, ""), ProofLink("B", weak, ""), ProofLink("C", weak, "")]
    assert weakest(found) == "The weakest links: b, c (checked by search)."
    assert weakest(found[:2]) == "The weakest link: b (checked by search)."


def test_what_was_seen_less_of_is_weaker() -> None:
    ordered = ["proved (Coq)", "checked by search", "not checkable", NOT_CHECKED, AUDITED, NEITHER]
    ranks = [ProofLink("", level, "").rank for level in ordered]
    assert ranks == sorted(set(ranks))


def test_a_link_with_a_statement_that_was_not_checked_is_not_sure(content: Content) -> None:
    entry = entries()["wang-2"]
    named = {link.name: link for link in links(entry, content)}
    own = [s for s in content.concern["wang-2"] if s.kind == "sensitivity"]
    assert {s.key in content.checked for s in own} == {True, False}
    assert named["Sensitivity of what is released"].level == NOT_CHECKED
    assert named["Composition of the releases"].level == "derived, step checked"
    unaudited = replace(content, checked={}, conclusion=replace(content.conclusion, results={}))
    assert {link.level for link in links(entry, unaudited)} == {NOT_CHECKED, NEITHER}


def test_a_link_is_as_sure_as_the_weakest_of_its_statements(content: Content) -> None:
    own = [s.key for s in content.concern["wang-2"] if s.kind == "sensitivity"]
    levels = ["proved (Coq)", "checked by search", *["derived, step checked"] * (len(own) - 2)]
    checked = {
        key: {"expected": "true", "printed": {"level": level}, "corrected": {"level": level}}
        for key, level in zip(own, levels, strict=True)
    }
    found = links(entries()["wang-2"], replace(content, checked=checked))
    named = {link.name: link.level for link in found}
    assert named["Sensitivity of what is released"] == "checked by search"


# ---------------------------------------------------------------------------------- look

PAGES = (
    "index", "000/theorem-4", "004/index", "errata/wang-2/E2", "algorithms/wang-2",
    "errors-that-matter", "guides/check-your-mechanism", "guides/scaling", "api/auditor",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_a_screen(browser: Any, site: Path, page: str) -> None:
    for width in (390, 1400):
        assert browser.show(site / f"{page}.html", width) <= width


@pytest.mark.slow
def test_the_filters_filter(browser: Any, site: Path) -> None:
    browser.show(site / "002/index.html", 1400)
    count = "return document.querySelectorAll('table.statements tbody tr:not([hidden])').length"
    everything = browser.run(count)
    browser.run(
        "const f = document.querySelector('form.filters'); f.elements.severity.value = 'S2';"
        "f.dispatchEvent(new Event('input'))"
    )
    own = [item for item in statements() if item.paper == "002"]
    assert everything == len(own)
    assert browser.run(count) == sum(item.severity == "S2" for item in own)
    browser.run(
        "const f = document.querySelector('form.filters'); f.elements.severity.value = '';"
        "f.elements.text.value = 'theorem 4.2'; f.dispatchEvent(new Event('input'))"
    )
    assert 0 < browser.run(count) < 20


@pytest.mark.slow
def test_the_search_finds_a_theorem_without_a_server(browser: Any, site: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.driver.get(f"file://{site / 'search.html'}?q=smoothed+truncation+disjoint+blocks")
    links = "return [...document.querySelectorAll('#search-results li a')].map(a => a.href)"
    WebDriverWait(browser.driver, 60).until(
        lambda b: any("algorithms/wang-2" in link for link in b.execute_script(links))
    )

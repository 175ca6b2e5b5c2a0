"""The pages of the site as Markdown: every page there, and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from auditor.core import addresses
from auditor.core.errors import InternalError
from auditor.site import guides, key
from auditor.site.content import Content
from auditor.site.pages import Pages, Released
from auditor.site.parts import LONG_PAGE, without_docstring
from auditor.site.worst_errors import ERRORS
from proofs_checks.statement import find, statements
from reference.catalogue import PAPERS, entries, errata, withdrawn

RELEASED = Released("1.0", "abc", "2026", "https://example.org/t/")


@pytest.fixture
def pages(content: Content) -> Pages:
    return Pages(content, RELEASED)


def words(page: str) -> str:
    """Return the words of a page without the marks of its markup."""
    page = re.sub(r"\{badge\}`([^`]*?) :: [^`]*`", r"\1", page)
    return " ".join(re.sub(r"\{(?:typeset|formula|\.[^}]*)\}|[][`*]", "", page).split())


@pytest.fixture
def text(pages: Pages) -> Callable[[str], str]:
    """Return what gives the words on a statement, an erratum or an algorithm."""

    def of(name: str) -> str:
        if name in errata():
            return words(pages._erratum(errata()[name]))
        if name in entries():
            return words(pages._algorithm(entries()[name]))
        return words(pages._statement(find(name)))

    return of


def test_everything_has_its_page(pages: Pages) -> None:
    found = dict(pages.all())
    wanted = [addresses.of_statement(item.key) for item in statements()]
    wanted += [addresses.of_erratum(name) for name in (*errata(), *withdrawn())]
    wanted += [addresses.of_algorithm(n) for e in entries().values() for n in (e.id, *e.aliases)]
    wanted += [addresses.of_paper(label) for label in PAPERS]
    assert set(wanted) <= found.keys()
    assert "is wang-1" in words(found["algorithms/diss-7.2.55"])


def test_a_statement_says_how_bad_it_is_and_how_to_cite_it(text: Callable[[str], str]) -> None:
    found = text("000 Theorem 4")
    assert "misprint S1 claim holds" in found
    assert "with (23) as printed one record moves the mean without bound" in found
    assert "As corrected" in found
    assert "wang-2/E2" in found
    assert "touchstone proofs '000 Theorem 4'" in found
    assert "https://example.org/t/000/theorem-4.html" in found
    assert "@misc{touchstone-000-theorem-4" in found
    assert "derived, step checked, but for C-hat" in found  # it was checked
    assert "In no step: C-hat: enters by the sensitivity alone, which is (23)'s" in found
    assert "The check was not run for this site" in text("000 Theorem 5")


def test_an_erratum_leads_to_its_witness_and_to_who_is_affected(text: Callable[[str], str]) -> None:
    found = text("wang-2/E2")
    assert "the influence of one record is unbounded" in found
    assert "a gradient of 1000 contributes" in found
    assert "In the audit, printed form, sensitivity: violated" in found
    assert "touchstone rerun results/wang-2.json printed/sensitivity" in found
    assert "reference.em.split_gradient_em:split_gradient_em" in found
    assert "Code that follows the print is wrong" in found  # privacy
    assert "Code that follows the print is wrong" not in text("diss-4.1.19/E1")  # a proof


def test_an_algorithm_shows_its_verdicts_and_its_steps(text: Callable[[str], str]) -> None:
    found = text("wang-2")
    assert "the releases spend epsilon 0.9 at delta 0.01" in found
    assert "The weakest link" in found
    assert "def split_gradient_em" in found
    # its vectors, each with what it is there for, and what it tells apart
    found = text("wang-1")
    assert "Not audited for this site" in found
    assert "One step on two records, one of whose gradients is clipped to norm 1." in found
    assert "clip_rows is left out in clipped_gradient_em" in found


def test_code_is_shown_without_its_docstring() -> None:
    def doubled(x: int) -> int:
        """Return twice a number.

        It has several lines.
        """
        return 2 * x

    assert without_docstring(doubled) == "def doubled(x: int) -> int:\n    return 2 * x"


def test_the_errors_that_matter_are_on_one_page(pages: Pages) -> None:
    found = words(pages._matters())
    for name, (title, _) in ERRORS.items():
        assert title in found
        assert name in found
    # seven algorithms share the sensitivity of a covariance matrix
    again = [e.name for e in errata().values() if e.copy_of == "diss-6.1.46/E1"]
    assert len(again) == 6
    assert f"printed again: {', '.join(again)}." in re.sub(r"\(/[^)]*\)", "", found)


def test_counts_are_the_catalogues(pages: Pages) -> None:
    found = words(pages._index())
    assert f"{len(entries())} differentially private algorithms" in found
    for label in PAPERS:
        own = sum(item.paper == label for item in statements())
        assert own == 0 or f"{own} numbered statements" in found
    assert "61 numbered statements, 25 false or misprinted." in found  # 8 copies are in doubt


def test_a_paper_lists_all_its_statements(pages: Pages) -> None:
    rows = re.findall(
        r'<tr data-print="([^"]*)" data-claim="([^"]*)" data-severity="[^"]*" data-level="([^"]*)"',
        pages._paper("002"),
    )
    own = [item for item in statements() if item.paper == "002"]
    assert len(rows) == len(own)
    assert [(of_print, of_claim) for of_print, of_claim, _ in rows] == [
        (item.print, item.claim) for item in own
    ]
    assert [level for _, _, level in rows if level] == ["derived, step checked"]


def test_an_unknown_year_is_left_out_of_a_citation(content: Content) -> None:
    page = Pages(content, Released("1.0", "abc", ""))._erratum(errata()["wang-2/E2"])
    assert "year =" not in page
    assert "Touchstone 1.0, /errata/wang-2/E2" in page


# ------------------------------------------------------------------------------- guides


def test_every_guide_is_under_a_heading_and_keeps_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files, listed = guides._files(), guides._pages()
    assert sorted(files.values()) == sorted(listed)  # and no two have one address
    assert len(set(listed)) == len(listed)
    for file, page in {
        "docs/how-to/implement.md": "implement",
        "docs/explanation/assumptions.md": "assumptions",
        "docs/measured/zoo.md": "zoo",
        "docs/experiments/second-order.md": "experiments-second-order",
        "docs/tutorials/reader.ipynb": "tutorials/reader",
        "vectors/README.md": "conformance-vectors",
    }.items():
        assert files[file] == page
    fewer = {title: pages[1:] for title, pages in guides.GROUPS.items()}
    monkeypatch.setattr(guides, "GROUPS", fewer)
    with pytest.raises(InternalError, match="read-a-report"):
        list(guides.guides())


def test_a_notebook_is_a_page_with_its_outputs_and_a_download() -> None:
    written = dict(guides.guides())
    page, pictures = written["guides/tutorials/designer"], dict(guides.pictures())
    for name in ("designer-1.png", "designer-2.png"):
        assert f"]({name})" in page
        assert pictures[f"guides/tutorials/{name}"].startswith(b"\x89PNG")
    assert "epsilon is at least 1.967" in page
    assert '{raw} html\n<p><b style="color: #b3261e">violated</b>' in page
    assert "](/guides/audit-your-own.md)" in page
    assert "<designer.ipynb>" in page
    assert "guides/tutorials/designer.ipynb" in pictures
    assert "\x1b" not in written["guides/tutorials/reader"]
    # links of guides lead to the site
    assert "](/guides/zoo.md)" in written["guides/check-your-mechanism"]
    assert not re.findall(r"\]\(\.\./", "".join(written.values()))


def test_a_link_leads_to_a_page_of_the_site_or_is_words() -> None:
    text = "[a](../../README.md) [b](zoo.md#c) [d](../../auditor/figures.py) ![e](f.png)"
    linked = "[a](/index.md) [b](/guides/zoo.md#c) d ![e](f.png)"
    assert guides._linked(text, "docs/measured/calibration.md") == linked


def test_a_guide_says_of_which_commit_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        ("rev-parse", "--is-shallow-repository"): "false",
        ("log", "-1", "--abbrev=10", "--format=%h, %cs", "--", "docs/measured/zoo.md"): (
            "abc, 2026-01-02"
        ),
    }
    monkeypatch.setattr("auditor.site.content._git", lambda *words: said.get(words, ""))
    found = dict(guides.guides())
    assert found["guides/zoo"].endswith("\nLast changed in commit abc, 2026-01-02.\n")
    assert "Last changed" not in found["guides/vectors"]
    said["rev-parse", "--is-shallow-repository"] = "true"
    assert "Last changed" not in dict(guides.guides())["guides/zoo"]


def test_a_picture_of_a_notebook_needs_words() -> None:
    drawn = {"output_type": "display_data", "data": {"image/png": "AAAA"}, "metadata": {}}
    cell = {"cell_type": "code", "source": "plot()", "outputs": [drawn], "metadata": {}}
    with pytest.raises(InternalError, match=r"mine\.ipynb: a picture has no words"):
        guides._written({"cells": [cell]}, "mine")


def test_what_holds_comes_before_a_claim_that_is_false(pages: Pages) -> None:
    page = pages._algorithm(entries()["wang-2"])
    claims = page[page.index("## What is claimed") : page.index("## What to code")]
    privacy, utility = claims.split("**Utility.**")
    assert "{formula}`(epsilon, delta)-DP for 0 < epsilon, delta < 1 (Theorem 4)`" in privacy
    corrected = find("000 Theorem 5").of_corrected
    assert corrected is not None
    holds = utility.index(" ".join(corrected.formula.split()))
    printed = utility.index("{struck}`||beta^T - beta*||_2 <=")
    assert holds < utility.index("wang-2/E3") < printed
    # the other statements that are not as printed have what holds as well
    detail = page[page.index("## The claim in detail") :]
    assert "000 Definition 7" in detail
    assert "It holds as: {formula}`the same for epsilon <= 1" in detail
    # a display of a theorem says it no second time
    assert "000 (28)" not in detail[: detail.index("## How sure")]


def test_a_page_of_an_algorithm_begins_with_its_verdict(pages: Pages) -> None:
    page = pages._algorithm(entries()["wang-2"])
    top = page[: page.index("## What is claimed")]
    assert "[000 Theorem 4](/000/theorem-4.md)): Wrong as it stands; the intended form" in top
    assert "[000 Theorem 5](/000/theorem-5.md)): False as it stands. What the paper" in top
    assert "is wrong: [wang-2/E2](/errata/wang-2/E2.md)" in top
    assert "no error is known" in pages._algorithm(entries()["diss-2.laplace"])
    order = ["# wang-2", "{contents}", "## What is claimed", "## What to code", "## The steps"]
    places = [page.index(part) for part in order]
    assert places == sorted(places)


def test_what_is_folded_is_unfolded_again(pages: Pages) -> None:
    for name in ("wang-2", "diss-2.laplace", "zhang-3", "diss-6.3.52"):
        page = pages._algorithm(entries()[name])
        assert page.count("<details>") == page.count("</details>") > 2
        # a heading inside would end its section before the fold does
        for part in re.split("<details>", page)[1:]:
            assert "\n## " not in part[: part.index("</details>")]


def test_breadcrumbs_lead_to_the_paper(pages: Pages) -> None:
    page = pages._algorithm(entries()["wang-2"])
    assert '<a href="../papers.html">Papers</a>' in page
    assert '<a href="../000/index.html">000: Wang, Ding, Hu, Xie, Pan and Xu (2020)</a>' in page
    assert "&rsaquo; Algorithm 2 &rsaquo; wang-2" in page
    page = pages._statement(find("004 Theorem 4.1.6"))
    section = re.search(r'<a href="\.\./004/index\.html#(section-[^"]*)">section ', page)
    assert section is not None
    assert pages._paper("004").count(f' id="{section[1]}">') == 1
    assert "&rsaquo; Theorem 4.1.6</nav>" in page
    assert '<a href="../../errata/index.html">Errors in print' in pages._erratum(
        errata()["wang-2/E2"]
    )


def test_what_holds_comes_before_what_is_printed(pages: Pages) -> None:
    page = pages._statement(find("000 Theorem 5"))
    assert page.index("## As corrected") < page.index("## As printed\n\n{struck}`")
    assert "## As printed\n\n{formula}`" in pages._statement(find("000 Theorem 1"))


def test_a_long_page_has_a_table_of_contents(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    short = pages._statement(find("000 (4)"))
    assert len(short) < LONG_PAGE
    assert "{contents}" not in short
    monkeypatch.setattr("auditor.site.parts.LONG_PAGE", len(short) - 1)
    assert "{contents}" in pages._statement(find("000 (4)"))


def test_lists_that_are_screens_long_have_a_table_of_contents(pages: Pages) -> None:
    for page in (pages._paper("003"), pages._errata(), pages._matters(), pages._algorithms()):
        assert page.index("{contents}") < page.index("\n## ")
    # a paper's sections have one of their own, which leads to their first statements
    page = pages._paper("004")
    sections = re.findall(r'<li><a href="#(section-[^"]*)">', page)
    assert len(sections) == len({s.section for s in statements() if s.paper == "004"})
    assert all(page.count(f' id="{section}">') == 1 for section in sections)


def test_a_paper_names_its_severe_errors(pages: Pages) -> None:
    page = pages._paper("003")
    listed = page[page.index("## Errors in print") : page.index("## Statements")]
    assert re.findall(r"^- \[([^]]*)\]", listed, re.MULTILINE) == [
        "hu-1/E1", "hu-1/E7", "hu-5/E3", "hu-5/E5", "hu-lb/E3", "hu-3/E1", "hu-3/E3",
    ]  # fmt: skip
    assert "Not listed here: 20 of S3 and S4" in listed
    # an algorithm that two papers print has the errors of this one
    (line,) = re.findall("^- Algorithm 4: .*", page, re.MULTILINE)
    assert re.findall(r"\[(\S+/E\d+)\]", line) == ["hu-4/E1"]


def test_the_list_of_algorithms_says_how_each_protects(pages: Pages) -> None:
    found = words(pages._algorithms())
    for name, protection in {
        "LDP iterative hard thresholding": "local interactive, epsilon-LDP",
        "Local Bernstein Mechanism by GenProt": "local, 10 epsilon-LDP",
        "Trimmed mean with smooth sensitivity (Mechanism M)": "central, epsilon^2/2-zCDP",
    }.items():
        assert f": {name}, {protection}" in found
    assert "Estimate the sparse coefficients of a linear model" in found


# --------------------------------------------------------------------------------- words


@pytest.fixture(scope="module")
def every_page(content: Content) -> dict[str, str]:
    return dict(Pages(content, RELEASED).all())


def test_no_two_items_of_a_list_are_in_one_line(every_page: dict[str, str]) -> None:
    together = re.compile(r"^- .*[.`)}\]]- \S", re.MULTILINE)
    assert [page for page, text in every_page.items() if together.search(text)] == []


def test_a_page_says_nothing_that_only_its_code_means(every_page: dict[str, str]) -> None:
    for wrong in ("<locals>", "see the key below", "see the keys below"):
        assert [page for page, text in every_page.items() if wrong in text] == []
    single = re.compile(r"\bLines \d+ of the text|\bLine \d+\D+\d+ of the text")
    assert [page for page, text in every_page.items() if single.search(text)] == []


def test_every_badge_leads_to_the_key(every_page: dict[str, str]) -> None:
    anchors = set(re.findall(r'<dt id="([^"]*)"', every_page["key"]))
    badges = [
        badge
        for text in every_page.values()
        for badge in re.findall(r"\{badge\}`([^`]*)`", text)
    ]  # fmt: skip
    assert len(badges) > 4000
    for badge in set(badges):
        label, _, anchor = badge.split(" :: ")
        assert label
        assert anchor in anchors
        assert f'"{anchor}": "' in key.script()
    unexplained = re.compile(r"\]\{\.badge|<span class=\"badge[^>]*(?<!\")>")
    assert [page for page, text in every_page.items() if unexplained.search(text)] == []


def test_a_paper_lists_every_algorithm_that_it_prints(pages: Pages) -> None:
    for label in PAPERS:
        page = pages._paper(label)
        for entry in entries().values():
            for source in entry.sources:
                if source.label == label and "## Algorithms" in page:
                    assert f"- {source.number}: [{entry.id}](/algorithms/{entry.id}.md)" in page
    assert "- Algorithm 4: [zhang-1]" in pages._paper("003")


def test_the_steps_of_a_derivation_are_a_list_in_a_list(content: Content) -> None:
    """The parts of a step stand below it, and nothing stands in the line above too."""

    def part(name: str, shows: str, *steps: Any) -> Any:
        given = [{"text": "a <= b", "origin": "assumed", "source": "", "needed": True}]
        return {
            "name": name, "evidence": "proved", "detail": "twice", "shows": shows,
            "premises": given if shows else [], "steps": steps, "witness": None,
        }  # fmt: skip

    outcome = part("", "", part("both", "", part("", "a = a"), part("", "b = b")), part("end", "c"))
    checked = dict(content.checked)
    checked["000 Theorem 1"] = {**checked["000 Theorem 1"], "printed": outcome}
    page = Pages(replace(content, checked=checked), RELEASED)._statement(find("000 Theorem 1"))
    plain = re.sub(r"\{typeset\}`([^`]*)`", r"\1", page)
    rows = [line for line in plain.splitlines() if line.lstrip().startswith("- ")]
    assert [row for row in rows if "proved" in row] == [
        "- step both: proved",
        "  - and: proved, a = a, given a <= b [assumed]",
        "  - and: proved, b = b, given a <= b [assumed]",
        "- step end: proved, c, given a <= b [assumed]",
    ]
    assert "twice" not in page


@pytest.mark.parametrize(
    ("identifier", "privacy", "utility"),
    [
        ("zhang-6", False, True),  # Theorem 4.6 is wrong on its rate alone
        ("diss-3.1.4", True, False),  # Theorem 3.1.6 on its budget alone
        ("diss-4.3.29", True, True),
    ],
)
def test_a_claim_is_struck_on_account_of_its_own_errors(
    pages: Pages, identifier: str, privacy: bool, utility: bool
) -> None:
    page = pages._algorithm(entries()[identifier])
    claims = page[page.index("## What is claimed") : page.index("## What to code")]
    parts = claims.split("**Utility.**")
    assert ["{struck}" in part for part in parts] == [privacy, utility]
    said = page[: page.index("## What is claimed")]
    of_privacy = said[said.index("**Privacy**") : said.index("**Utility**")]
    assert privacy or "Theorem" not in of_privacy

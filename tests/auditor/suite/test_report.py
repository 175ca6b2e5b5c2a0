"""The HTML report."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from auditor import figures
from auditor.core.case import Case
from auditor.core.verdict import QUESTIONS, Verdict, VerdictStatus
from auditor.described import build_case, builders
from auditor.suite.algorithms import Known, Origin, OwnAlgorithm
from auditor.suite.conclude import Conclusion, conclude
from auditor.suite.drawings import kept
from auditor.suite.keys import Sources
from auditor.suite.plan import expected_violations
from auditor.suite.report import _levels, render, write_report
from auditor.suite.report_page import Contents, Page, epsilon_bars
from auditor.suite.report_text import figure, pretty, scalars
from auditor.suite.store import FormResult, Result, Settings, Store
from proofs_checks.statement import statements
from reference.catalogue import PAPERS, Entry, Erratum, PrintedForm, Source, entries, errata
from reference.privacy.guarantees import Model, Relation

EVIDENCE = json.loads(Path(__file__).with_name("evidence.json").read_text(encoding="utf-8"))
LEDGER: Any = EVIDENCE["ledger"]


def verdict(
    question: str, status: VerdictStatus, evidence: dict[str, Any] | None = None
) -> Verdict:
    witness = {"seed": 1, "data": [[0.5, 1.0], [2.0, 3.0]]} if status == "violated" else None
    return Verdict(question, status, f"<b>{question}</b> & more", evidence or {}, witness)


def a_result(status_of_scaling: VerdictStatus = "holds") -> Result:
    corrected = {
        "accounting": verdict(
            "accounting",
            "holds",
            {
                "claimed_epsilon": 1.0,
                "claimed_delta": 0.01,
                "accounted_epsilon": "infinity",
                "method": "zCDP",
            },
        ),
        "sensitivity": verdict("sensitivity", "holds", EVIDENCE["sensitivity"]),
        "control_flow": verdict("control_flow", "holds"),
        "privacy_loss": verdict("privacy_loss", "holds", EVIDENCE["privacy_loss"]),
        "black_box": Verdict(
            "black_box",
            "holds",
            "fine",
            findings=({"kind": "floating point", "statement": "the last bits leak"},),
        ),
        "samplers": verdict("samplers", "not applicable"),
        "scaling": verdict("scaling", status_of_scaling, {"recipes": [EVIDENCE["scaling"]] * 2}),
        "real_data": verdict("real_data", "inconclusive", {"data_sets": [EVIDENCE["real_data"]]}),
        "mutants": verdict("mutants", "holds"),
    }
    printed = {"accounting": verdict("accounting", "violated")}
    return Result(
        "fake",
        Settings(),
        {
            "corrected": FormResult("1-DP", 1.0, 0.0, "0.5-zCDP", {"n": 10}, {}, 3, corrected, {}),
            "printed": FormResult(
                "1-DP", 1.0, 0.0, None, {}, {"accounting": ("fake/E2",)}, 3, printed, {}
            ),
        },
    )


def as_printed() -> None:
    """Half of the noise & nothing else (l.3)."""


def an_entry(where: str = "audit:printed/accounting", identifier: str = "fake") -> Entry:
    def erratum(name: str, where: str) -> Erratum:
        return Erratum(name, "S2", "privacy", "misprint", "x < y", "x > y", "x = 1", where)

    class WithErrata(Entry):
        errata = (
            erratum(f"{identifier}/E2", where),
            erratum(f"{identifier}/E3", "proofs:000 Lemma 1"),
            erratum(f"{identifier}/E4", "proofs:000 Lemma 9"),
        )
        printed_forms = (PrintedForm("printed", ("fake/E2",), as_printed),)

    return WithErrata(
        identifier,
        "Fake & <sons>",
        (Source("000", "OwnAlgorithm 1", "1-2"),),
        Model.CENTRAL,
        Relation.REPLACE_ONE,
        'epsilon <= 1 "always"',
        "none",
        a_result,
    )


def concluded(result: Result | None = None) -> Conclusion:
    return conclude({"fake": result or a_result()}, {})


def brought(entry: Entry, origin: str, file: str = "") -> dict[str, OwnAlgorithm]:
    """Return an algorithm that is not the papers'."""
    return {"fake": OwnAlgorithm(entry, lambda: Case("fake", {}), Origin(origin, origin, file))}


def page(result: Result | None = None, ledger: Any = LEDGER, **more: Any) -> str:
    """Return the page of one algorithm."""
    contents = {"conclusion": concluded(result), "catalogue": {"fake": an_entry()}, **more}
    return render(Contents(ledger=ledger, **contents))


@pytest.fixture(scope="module")
def text() -> str:
    """Return the page, drawn once."""
    return page()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the figures, which take most of the time."""
    monkeypatch.setattr(figures, "drawings", lambda *_, **__: iter(()))


class Parsed(HTMLParser):
    """Ids, links and the balance of tags."""

    VOID = frozenset({"meta", "link", "br", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.update(v for v in [values.get("id")] if v)
        if tag == "a":
            self.links.append(values["href"] or "")
        self.loads += [v for k in ("src", "href") if tag != "a" and (v := values.get(k))]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids.update(v for k, v in attrs if k == "id" and v)


def test_the_page_is_whole_and_self_contained(text: str) -> None:
    parsed = Parsed(text)
    assert parsed.open == []
    assert [name for name, count in parsed.ids.items() if count > 1] == []
    inside = [link for link in parsed.links if link.startswith("#")]
    assert all(link[1:] in parsed.ids for link in inside)
    assert set(parsed.links) - set(inside) == {PAPERS["000"].url}
    assert parsed.loads == ["data:,"]
    assert "http" not in re.sub(r'(xmlns(:xlink)?|href)="[^"]*"', "", text)
    assert "url(" not in re.sub(r"url\(#", "", text)


def test_the_same_results_give_the_same_bytes_without_a_date(text: str) -> None:
    assert page() == text
    assert not re.search(r"20\d\d-\d\d-\d\d", text)


def test_what_is_said_is_on_the_page(text: str) -> None:
    assert "Fake &amp; &lt;sons&gt;" in text
    assert "&lt;b&gt;accounting&lt;/b&gt; &amp; more" in text
    assert "the last bits leak" in text
    assert text.count("Half of the noise &amp; nothing else (l.3).") == 1
    for chip in ("holds", "erratum fake/E2", "inconclusive", "n/a", "false"):
        assert f"</b> {chip}</" in text
    assert "statement 000 Lemma 9 (run" in text  # not in the ledger
    assert text.count("<svg ") == 4  # delta, two slopes, one data set
    assert "∞" in text
    assert "<b>As checked:</b> 1 &lt;= 0" in text
    assert "<b>Added:</b> in the integers" in text
    assert "checked exactly at 1 point</b>" in text
    assert "<dd>2 of 3</dd>" in text  # errata: one by the audit, one by the proofs
    assert 'id="unexpected"' not in text
    assert "Of 002, 003, 004 not checked yet; <code>touchstone proofs</code> does it." in text
    assert "Not checked yet" not in text
    words = " ".join(text.split())
    assert "confidence 99.999% of each algorithm" in words
    assert "a correct algorithm is called violated with probability at most 1e-05" in words
    black_box = text[text.index('id="fake--corrected--black_box"') :]
    assert '<span class="chip holds"><b aria-hidden="true">✓*</b> on paper</span>' in black_box
    assert "Beside the verdict, <b>floating point</b>: the last bits leak" in black_box


@pytest.mark.usefixtures("undrawn")
def test_escape_sequences_are_shown_escaped() -> None:
    result = a_result()
    said = Verdict("mutants", "holds", "a\x1b[2Jb\u202ec", {"note": "d\x9be"})
    result.forms["corrected"].verdicts["mutants"] = said
    shown = page(result)
    assert r"a\x1b[2Jb\u202ec" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.usefixtures("undrawn")
def test_the_unexpected_comes_first() -> None:
    text = page(a_result(status_of_scaling="violated"))
    assert 'id="unexpected"' in text
    assert text.index('id="unexpected"') < text.index('id="summary"')
    assert re.search(r'<span class="chip surprise" title="unexpected"><b[^>]*>!</b> violated', text)


@pytest.mark.usefixtures("undrawn")
def test_an_erratum_that_shows_elsewhere_than_it_names_is_shown_there() -> None:
    text = page(ledger=None, catalogue={"fake": an_entry("proofs:000 Lemma 2")})
    assert "statement 000 Lemma 2 (run" not in text
    link = '<a href="#fake--printed--accounting">printed form, accounting</a>'
    assert link in text.partition(">Erratum fake/E2 ")[2].partition("</article>")[0]
    assert "<dd>1 of 3</dd>" in text


@pytest.mark.usefixtures("undrawn")
def test_without_a_ledger_of_proofs_it_says_how_to_make_one() -> None:
    text = page(ledger=None)
    assert "Not checked yet" in text
    assert "statement 000 Lemma 1 (run" in text
    assert "<dd>1 of 3</dd>" in text


@pytest.mark.usefixtures("undrawn")
def test_what_has_a_page_on_the_site_leads_there() -> None:
    assert "its page" not in page()
    there = page(site="https://example.org/")
    leads = set(re.findall(r'href="https://example.org/([^"]*)">its page', there))
    assert leads == {
        "algorithms/fake.html",
        "000/lemma-1.html",
        *(f"errata/{erratum.name}.html" for erratum in an_entry().errata),
    }
    own = page(ledger=None, others=brought(an_entry(), "mine"), site="https://example.org")
    assert "its page" not in own


@pytest.mark.usefixtures("undrawn")
def test_a_question_has_a_column_of_its_own(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page())
    browser.show(tmp_path / "report.html", 1400)
    name, *boxes = browser.run(
        "return [...document.querySelectorAll('details.algorithm > .line > *')].map("
        "part => part.getBoundingClientRect()).map(box => [box.left, box.top, box.bottom])"
    )
    assert len(boxes) == len(QUESTIONS)
    assert len({left for left, _, _ in boxes}) == len(QUESTIONS)
    assert all(top < name[2] for _, top, _ in boxes)  # on the line of the name


@pytest.mark.usefixtures("undrawn")
def test_statements_are_filtered_and_readable_on_a_phone(browser: Any, tmp_path: Path) -> None:
    other = {
        **LEDGER["statements"][0],
        "key": "000 Lemma 77",
        "number": "Lemma 77",
        "print": "as printed",
        "claim": "holds",
        "refuted": False,
        "severity": "",
        "corrected": None,
    }
    (tmp_path / "report.html").write_text(
        page(ledger={**LEDGER, "statements": [*LEDGER["statements"], other]})
    )
    rows = "return [...document.querySelectorAll('details.statements tbody tr:not([hidden])')]"
    sift = (
        "const f = document.getElementById('statement-filters'); f.reset();"
        "f.elements['{}'].value = '{}'; f.dispatchEvent(new Event('input'))"
    )
    for width in (390, 1400):
        assert browser.show(tmp_path / "report.html", width) <= width
        assert browser.run(f"{rows}.length") == 2
        for name, value, left in (
            ("print", "false", "statement--000-Lemma-1"),
            ("print", "as printed", "statement--000-Lemma-77"),
            ("claim", "holds", "statement--000-Lemma-77"),
            ("text", "lemma 77", "statement--000-Lemma-77"),
            ("severity", LEDGER["statements"][0]["severity"], "statement--000-Lemma-1"),
        ):
            browser.run(sift.format(name, value))
            assert browser.run(f"{rows}.map(row => row.id)") == [left]
        # number, text, verdict and evidence are all on the screen
        edges = browser.run(
            "document.querySelector('details.statements').open = true;"
            "return [...document.querySelectorAll('details.statements tr:not([hidden]) td')].map("
            "cell => cell.getBoundingClientRect()).map(box => [box.left, box.right, box.height])"
        )
        assert len(edges) == 3
        assert all(left >= 0 and right <= width and height > 0 for left, right, height in edges)
        # a link to what is filtered away leads there
        browser.run("location.hash = ''; location.hash = '#statement--000-Lemma-1'")
        browser.run(sift.format("print", "as printed"))
        browser.run("location.hash = '#x'; location.hash = '#statement--000-Lemma-1'")
        browser.wait(f"{rows}.length === 2")


def test_a_cross_leads_to_its_witness_in_one_click(browser: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "report.html").write_text(text)
    for width in (390, 1400):
        browser.show(tmp_path / "report.html", width)
        cross = "document.querySelector('details.algorithm > summary a.chip.erratum')"
        assert browser.run(f"return {cross}.textContent").startswith("✗")
        answer = browser.run(f"return {cross}.getAttribute('href')").removeprefix("#")
        shown = (
            f"const pre = document.getElementById('{answer}').querySelector('pre');"
            "return pre !== null && pre.checkVisibility()"
        )
        for _ in range(2):  # and again, where it was folded in between
            assert not browser.run(shown)
            browser.run(f"{cross}.click()")
            browser.wait(shown)
            browser.run(
                "for (const part of document.querySelectorAll('details')) part.open = false"
            )


@pytest.mark.usefixtures("undrawn")
def test_a_result_of_other_code_says_so() -> None:
    note = "Audited by an earlier version"
    assert note not in page()
    assert note in page(stale={"fake"})


@pytest.mark.usefixtures("undrawn")
def test_writing_reads_the_whole_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(a_result())
    store.write_json("proofs.json", LEDGER)
    known = Known(brought(an_entry(), "dp-fake 1.0"))
    path = write_report(store, known, LEDGER)
    links = (
        "sensitivity: not checked here; noise: audited only; composition: not checked here; "
        "calibration: numerical, rounded outwards; code: audited only"
    )
    sure = {"fake": links}
    expected = page(catalogue=known.entries, folder=tmp_path, others=known.others, sure=sure)
    assert path.read_text(encoding="utf-8") == expected


@pytest.mark.usefixtures("undrawn")
def test_an_algorithm_that_is_not_the_papers_stands_under_where_it_comes_from() -> None:
    entry = replace(an_entry(), sources=())
    others = brought(entry, "my <own>/cases.py", "my <own>/cases.py")
    text = page(ledger=None, catalogue={"fake": entry}, stale={"fake"}, others=others)
    assert "<h3>From my &lt;own&gt;/cases.py</h3>" in text
    again = "touchstone audit fake --cases &#39;my &lt;own&gt;/cases.py&#39;"
    assert again in text
    assert "--cases &#39;my &lt;own&gt;/cases.py&#39;</code>" in text.replace(again, "")


def test_a_drawing_is_made_once_for_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def drawings(question: str, evidence: Any, name: str, **_: Any) -> Any:
        drawn.append(name)
        svg = f'<svg xmlns="http://www.w3.org/2000/svg"><text>{name} {len(drawn)}</text></svg>'
        yield svg, "a caption"

    monkeypatch.setattr(figures, "drawings", drawings)
    store, result = Store(tmp_path), a_result()
    first = kept(store, {"fake": result})
    many = len(drawn)
    assert many > 1
    assert json.dumps(first) == json.dumps(kept(store, {"fake": result}))
    assert len(drawn) == many
    # another result, other code or another matplotlib is drawn again, and so is what is broken
    other = a_result(status_of_scaling="inconclusive")
    kept(store, {"fake": other})
    assert len(drawn) == 2 * many
    with monkeypatch.context() as patch:
        patch.setattr(Sources, "digest", lambda *_: "other code")
        kept(store, {"fake": other})
        assert len(drawn) == 3 * many
        patch.setattr("importlib.metadata.version", lambda _: "0")
        kept(store, {"fake": other})
        assert len(drawn) == 4 * many
    (tmp_path / "drawings" / "fake.json").write_text("[]")
    kept(store, {"fake": other})
    kept(store, {"fake": other})
    assert len(drawn) == 5 * many


def test_claimed_accounted_and_certified_side_by_side() -> None:
    bars = epsilon_bars(a_result().forms["corrected"])
    assert [(bar.label, bar.value, bar.width) for bar in bars] == [
        ("claimed", "1", 100.0),
        ("accounted", "∞", 100.0),
        ("certified", "0.4", 40.0),
    ]
    printed = epsilon_bars(a_result().forms["printed"])
    assert [(bar.label, bar.value) for bar in printed] == [("claimed", "1")]


def test_what_applies_to_one_form_is_shown_and_not_that_it_does_not_to_another() -> None:
    result = a_result()
    result.forms["printed"].verdicts["samplers"] = verdict("samplers", "holds")
    cell = Page(Contents(concluded(result), {"fake": an_entry()}), {}).cell("fake", "samplers")
    assert [(chip.kind, form) for chip, form in cell.items()] == [("holds", "printed")]


def test_the_most_frequent_level_comes_first() -> None:
    (item,) = LEDGER["statements"]
    items = [item, *[{**item, "level": "proved (Coq)"}] * 2, {**item, "level": ""}]
    levels = _levels(Contents(concluded(), {}, {"statements": items}))
    assert list(levels.items()) == [
        ("proved (Coq)", 2),
        ("checked exactly", 1),
        ("false, no corrected form", 1),
    ]


def test_figures_of_text() -> None:
    for value, text in {
        1.23456789: "1.235",
        12: "12",
        True: "yes",
        "infinity": "∞",
        "-infinity": "−∞",
        "word": "word",
        0.999999: "1 − 1e-06",
        1.000002: "1 + 2e-06",
        0.9: "0.9",
        0.99949: "0.9995",
    }.items():
        assert figure(value) == text
    assert figure(1.0) == "1"
    lists = {"longest": [0] * 12, "longer": [0] * 13, "empty": []}
    rows = scalars({"a_b": 1.0, "c": {"d": [1, 2]}, **lists, "none": None})
    assert rows == [("a b", "1"), ("c: d", "1, 2"), ("longest", ", ".join("0" * 12))]
    assert pretty({"x": [[1, 2], [3, 4]]}) == '{\n "x": [\n  [1, 2],\n  [3, 4]\n ]\n}'
    assert pretty({"x": list(range(10_000))}).endswith("(the rest is in the results file)")


@pytest.mark.usefixtures("undrawn")
def test_many_algorithms_are_lines_by_paper_and_family_the_doubtful_first() -> None:
    forms = a_result().forms
    calm = {
        name: replace(
            form,
            verdicts={q: v for q, v in form.verdicts.items() if v.status != "inconclusive"},
        )
        for name, form in forms.items()
    }
    results = {f"fake-{i:03}": Result(f"fake-{i:03}", Settings(), calm) for i in range(101)}
    results["fake-050"] = Result("fake-050", Settings(), forms)
    bad = a_result(status_of_scaling="violated").forms
    results["fake-070"] = Result("fake-070", Settings(), bad)
    catalogue = {
        i: replace(
            an_entry(identifier=i), sources=(Source("003" if int(i[5:]) % 2 else "000", "A", "1"),)
        )
        for i in results
    }
    text = render(Contents(conclude(results, {}), catalogue))
    parsed = Parsed(text)
    assert [name for name, count in parsed.ids.items() if count > 1] == []
    order = re.findall(r'<details class="algorithm" id="([^"]*)"', text)
    assert len(order) == 101
    even = [i for i in results if not int(i[5:]) % 2]
    assert order[:2] == ["fake-070", "fake-050"]
    assert order[2 : len(even)] == [i for i in even if i not in order[:2]]
    for seed in ("000", "003"):
        assert text.count(f"<h3>{PAPERS[seed]} <a ") == bool(PAPERS[seed].url)
        assert text.count(f"<h3>{PAPERS[seed]}") == 1
    board = text[text.index('class="board"') : text.index('id="findings"')]
    assert " open" not in "".join(re.findall(r"<details[^>]*>", board))
    doubts = text[text.index('id="inconclusive"') : text.index('id="summary"')]
    assert "#fake-050--corrected--real_data" in doubts
    assert "fake-003" not in doubts


# ------------------------------------------------------------------- the catalogue itself


def test_every_erratum_says_truly_what_reproduces_it() -> None:
    keys = {statement.key: statement for statement in statements()}
    owner = {erratum.name: i for i, entry in entries().items() for erratum in entry.errata}
    wrong = []
    for name, erratum in errata().items():
        scheme, _, where = erratum.reproduced_by.partition(":")
        if scheme == "audit":
            form, _, question = where.partition("/")
            known = question in QUESTIONS and owner[name] in builders()
            truly = known and name in expected_violations(build_case(owner[name]), form)[question]
        elif scheme == "proofs":
            truly = where in keys and name in keys[where].errata
        else:
            truly = scheme == "test"
        if not truly:
            wrong.append(f"{name}: {erratum.reproduced_by}")
    assert wrong == []

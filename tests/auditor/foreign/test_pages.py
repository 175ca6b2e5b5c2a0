"""Results, proofs and experiments of others do nothing on the pages that show them."""

from __future__ import annotations

import copy
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from auditor.core.context import Context
from auditor.core.errors import InputError
from auditor.core.verdict import QUESTIONS, Verdict
from auditor.described import NAME, builders
from auditor.experiments import kept as kept_experiments
from auditor.experiments.page import write_page
from auditor.site.build import CONFIGURATION
from auditor.site.content import Content, _require_errata
from auditor.site.pages import Pages, Released
from auditor.suite import drawings
from auditor.suite.conclude import conclude
from auditor.suite.drawings import UNDRAWN, share_styles
from auditor.suite.report import render
from auditor.suite.report_page import Contents
from auditor.suite.store import TEMPLATES, FormResult, Result, Settings, Store, _hash, read_result
from auditor.suite.svg import is_plain
from proofs_checks.outcome import STRENGTH
from proofs_checks.statement import find
from reference.catalogue import entries, errata

# ----------------------------------------------------------------------------- what pages show


class Page(HTMLParser):
    """The tags and attributes of a page, and what stands where it would act."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[tuple[str, ...]] = set()
        self.scripts = 0
        self.acting: list[str] = []
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags |= {(tag,), *((tag, name) for name, _ in attrs)}
        self.scripts += tag == "script"
        self._in = tag if tag in ("script", "style") else ""
        self.acting += [v or "" for name, v in attrs if name in ("src", "style", "class")]
        self.acting += [v or "" for name, v in attrs if name == "href" and not v.startswith("#")]

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.acting.append(data)


def require_harmless(page: str, like: str) -> None:
    """Assert that a page has no tags and no attributes but those of an honest one."""
    found, honest = Page(page), Page(like)
    assert found.tags <= honest.tags
    assert found.scripts == honest.scripts
    assert not [text for text in found.acting if "pwned" in text or "/etc/passwd" in text]
    assert "\x1b" not in page


def require_plain_markdown(text: str) -> None:
    """Assert that what is hostile in Markdown stands in roles that typeset, or in code, alone."""
    from markdown_it.renderer import RendererHTML
    from myst_parser.config.main import MdParserConfig
    from myst_parser.parsers.mdit import create_md_parser

    parser = create_md_parser(MdParserConfig(enable_extensions={"attrs_inline"}), RendererHTML)
    left = list(parser.parse(text))
    while left:
        token = left.pop()
        left += token.children or []
        said = f"{token.content} {token.attrs} {token.info} {token.meta}"
        if token.children or not re.search("pwned|/etc/passwd", said):
            continue
        if token.type == "fence" and token.info == "{raw} html":
            assert not re.search("<script|<img|<i>|</style>", token.content)
            continue
        role = token.type == "myst_role" and token.meta["name"] in ("typeset", "formula")
        code = token.type == "code_inline" or token.info == "{code-block} text"
        assert role or code, said


def a_result() -> Result:
    """Return a result with something in every field."""
    numbers = [0.25, 0.5, 1.0]
    recipe = {
        "name": "n", "claim": "Theorem 1", "claimed_slope": -1.0, "slope": -0.97,
        "slope_interval": [-1.1, -0.9], "slope_confidence": 0.8, "repetitions": 10,
        "points": dict.fromkeys(("value", "median", "lower_quartile", "upper_quartile"), numbers),
        "fitted_line": numbers, "claimed_line": numbers,
        "twin": {"change": "twice the noise", "noticed": True, "slope": -0.4, "p_value": 1e-4},
    }  # fmt: skip
    curve = dict.fromkeys(("epsilon", "estimate", "lower", "upper", "claim", "type_1"), numbers)
    data_set = {
        "name": "iris", "metric": "distance", "records": 150, "repetitions": 20,
        "trivial": {"name": "zero", "error": 1.0},
        **dict.fromkeys(("epsilons", "lower_quartile", "median", "upper_quartile"), numbers),
    }  # fmt: skip
    evidence: dict[str, dict[str, Any]] = {
        "accounting": {
            "claimed_epsilon": 1.0, "claimed_delta": 0.1, "accounted_epsilon": 1.0, "method": "z"
        },
        "sensitivity": {"trace": {"scipy": [0.5, 1.2]}, "known_pair_ratio": 1.0},
        "privacy_loss": {
            "claimed_epsilon": 1.0, "claimed_delta": 0.1, "certified_epsilon": 0.4,
            "delta_curve": curve, "trade_off": curve,
        },
        "scaling": {"recipes": [recipe]},
        "real_data": {"data_sets": [data_set]},
    }  # fmt: skip
    finding = {"kind": "floating point", "statement": "the last bits leak"}
    forms = {}
    for form, state in (("corrected", "inconclusive"), ("printed", "violated")):
        verdicts = {
            question: Verdict(
                question, state, "says", evidence.get(question, {}), {"D": [1]}, 0.5, (finding,)
            )
            for question in QUESTIONS
        }
        forms[form] = FormResult(
            "1-DP", 1.0, 0.1, "zCDP", {"n": 10}, {"sensitivity": ("wang-2/E2",)}, 3, verdicts,
            {"accounting": "0" * 64},
        )  # fmt: skip
    return Result("wang-2", Settings(), forms)


def accepted(content: Any) -> Result | None:
    """Return the result that a forged file gives, whose hash is right, or None if it is refused."""
    content["hash"] = _hash({name: item for name, item in content.items() if name != "hash"})
    path = Path("wang-2.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    try:
        return read_result(path)
    except InputError as error:
        said = str(error)
    assert len(said.splitlines()) == 1, said
    return None


HOSTILE = "x\n```\n\n```{eval-rst}\n.. raw:: html\n\n   pwned\n```\n<script>pwned()</script>"


def content_of(result: Result, ledger: Any = None, caption: str = HOSTILE) -> Content:
    known = {"wang-2": entries()["wang-2"]}
    drawn = {"wang-2": {form: [("<svg/>", caption)] for form in result.forms}}
    items = {item["key"]: item for item in (ledger or {"statements": ()})["statements"]}
    asked = {key: find(key) for key in items}
    conclusion = conclude({"wang-2": result}, known)
    return Content(known, errata(), {}, asked, items, conclusion, frozenset(), drawn)


def report_of(result: Result, ledger: Any = None) -> str:
    conclusion = conclude({"wang-2": result}, {"wang-2": entries()["wang-2"]})
    drawn = {"wang-2": dict.fromkeys(result.forms, ())}
    catalogue = {"wang-2": entries()["wang-2"]}
    return render(Contents(conclusion, catalogue, ledger, drawn=drawn))


RELEASED = Released("1", "abc", "2026")


def test_results_of_others_do_nothing_in_report_and_site(forger: Any) -> None:
    stored = a_result().to_json()
    honest, used = report_of(a_result()), 0
    for content, _ in forger.hostile(stored, 50, seed=1):
        result = accepted(content)
        if result is None:
            continue
        used += 1
        require_harmless(report_of(result), honest)
        try:
            _require_errata(result)
        except InputError:
            continue
        pages = Pages(content_of(result), RELEASED)
        require_plain_markdown(pages._algorithm(entries()["wang-2"]))
        require_plain_markdown(pages._erratum(errata()["wang-2/E2"]))
    assert used > 12  # free texts and figures are used: most of what is hostile reaches the pages


def built(content: Content, folder: Path) -> str:
    """Return the page of an algorithm, built as the site is but for its theme."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    (folder / "source").mkdir(parents=True)
    page = Pages(content, RELEASED)._algorithm(entries()["wang-2"])
    (folder / "source" / "index.md").write_text(page, encoding="utf-8")
    plain = {"html_theme": "basic", "html_theme_options": {}, "html_js_files": []}
    with patch_docutils(None), docutils_namespace():
        Sphinx(
            folder / "source", None, folder / "html", folder / "trees", "html",
            confoverrides={**CONFIGURATION, **plain}, status=None, warning=io.StringIO(),
        ).build()  # fmt: skip
    return (folder / "html" / "index.html").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")
def test_a_page_that_is_built_shows_what_is_hostile_as_words(forger: Any, inside: Path) -> None:
    everything = " ".join(text.replace("\x00", "") for text in forger.texts)
    corrected = a_result().forms["corrected"]
    verdicts = {q: replace(v, summary=everything) for q, v in corrected.verdicts.items()}
    each = {
        f"corrected-{i}": replace(corrected, claim=text, verdicts={
            q: replace(v, summary=text) for q, v in corrected.verdicts.items()
        })
        for i, text in enumerate(forger.texts)
    }  # fmt: skip
    forms = {"corrected": replace(corrected, claim=everything, verdicts=verdicts), **each}
    page = built(content_of(Result("wang-2", Settings(), forms)), inside / "hostile")
    assert "pwned()" in page
    assert "root:" not in page
    require_harmless(page, built(content_of(a_result(), caption="fine"), inside / "honest"))


def test_names_of_a_results_file_are_names(forger: Any, inside: Path) -> None:
    stored = a_result().to_json()
    verdicts = stored["forms"]["printed"]
    names = [("id",), ("forms", "printed", None), ("forms", "printed", "verdicts", "scaling", None)]
    names += [("forms", "printed", "verdicts", "scaling", "question")]
    names += [("forms", "printed", "expected", "sensitivity", 0)]
    assert verdicts
    for path in names:
        for text in forger.texts:
            if path[:3] != ("forms", "printed", "expected") or "/" not in text:
                assert accepted(forger.replaced(stored, path, text)) is None, (path, text)
    swapped = copy.deepcopy(stored)
    asked = swapped["forms"]["printed"]["verdicts"]
    asked["scaling"], asked["mutants"] = asked["mutants"], asked["scaling"]
    assert accepted(swapped) is None
    for text in forger.raw_texts(stored, 2):
        (inside / "wang-2.json").write_text(text)
        assert forger.status("report", "--results", ".") == 2
        assert forger.status("rerun", "wang-2.json") == 2


def test_evidence_of_any_shape_is_drawn_or_said_not_to_be(forger: Any) -> None:
    stored, undrawn = a_result().to_json(), 0
    drawable = {q: v for q, v in stored["forms"]["corrected"]["verdicts"].items() if v["evidence"]}
    for question, kept in drawable.items():
        (honest,) = [drawings._of_verdict(Verdict.from_json(kept), "x")]
        assert not [words for _, words in honest if words.startswith(UNDRAWN)]
        for content, _ in forger.hostile(kept["evidence"], 10, seed=3):
            found = drawings._of_verdict(Verdict.from_json({**kept, "evidence": content}), "x")
            undrawn += any(words.startswith(UNDRAWN) for _, words in found)
            shared, styles = share_styles([svg for svg, _ in found])
            assert all(is_plain(svg) for svg, _ in found if svg)
            assert "pwned" not in styles
            assert not [svg for svg in shared if re.search("<(script|img|i>)", svg)]
        assert question in QUESTIONS
    assert undrawn > 4


def test_an_infinite_loss_is_drawn(forger: Any) -> None:
    searched = {"trace": {"scipy": [0.5, "infinity"]}, "known_pair_ratio": "infinity"}
    (drawn,) = drawings._of_verdict(Verdict("sensitivity", "violated", "", searched), "x")
    assert "known worst pair: infinite" in drawn[0]
    assert "search: infinite" in drawn[0]
    stored = a_result().to_json()["forms"]["corrected"]["verdicts"]
    recipe = ("recipes", 0, "points", "median", 0)
    partly = forger.replaced(stored["scaling"]["evidence"], recipe, "infinity")
    (found,) = drawings._of_verdict(Verdict("scaling", "violated", "", partly), "x")
    assert is_plain(found[0])
    for question in ("privacy_loss", "scaling", "real_data", "sensitivity"):
        text = re.sub(r"\b(0\.25|1\.2)\b", '"infinity"', json.dumps(stored[question]["evidence"]))
        evidence = json.loads(
            text.replace('"certified_epsilon": 0.4', '"certified_epsilon": "nan"')
        )
        found = drawings._of_verdict(Verdict(question, "violated", "", evidence), "x")
        assert not [words for _, words in found if words.startswith(UNDRAWN)], found[0][1]


SVG = '<svg xmlns="http://www.w3.org/2000/svg"{}>{}</svg>'
ACTING = (
    SVG.format("", "<script>pwned()</script>"),
    SVG.format(' onload="pwned()"', ""),
    SVG.format("", "<foreignObject><b>pwned</b></foreignObject>"),
    SVG.format("", '<a href="javascript:pwned()"><text>x</text></a>'),
    SVG.format("", '<image href="https://pwned"/>'),
    SVG.format("", '<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="//pwned#m1"/>'),
    SVG.format("", '<use href="//pwned#m1"/>'),
    SVG.format("", '<path style="fill: url(//pwned)"/>'),
    SVG.format("", '<path style="fill: red} * {background: url(//pwned)"/>'),
    SVG.format("", '<g style="position: fixed; top: 0"/>'),
    SVG.format("", "<style>@import '//pwned'</style>"),
    SVG.format("", '<animate attributeName="href" to="javascript:pwned()"/>'),
    SVG.format("", "<!-- --!><script>pwned()</script> -->"),
    SVG.format("", "<text><![CDATA[<script>pwned()</script>]]></text>"),
    '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + SVG.format("", "&a;"),
    SVG.format("", "\n```\n\n```{eval-rst}\npwned\n```\n"),
    SVG.format("", '<text x="expression(pwned)">x</text>'),
    SVG.format("", "<g>"),
    "<p>pwned</p>",
    SVG.format("", "") * 2,
    "<g>" * 100_000,
)  # fmt: skip


def test_kept_drawings_of_others_are_drawn_again(
    forger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_plain(SVG.format(' viewBox="0 0 1 1"', '<text style="fill: red">a &lt; b</text>'))
    store, results = Store(Path()), {"wang-2": a_result()}
    ours = {"corrected": [["", "ours"]], "printed": []}
    monkeypatch.setattr(drawings, "draw", lambda missing, _: dict.fromkeys(missing, ours))
    path = Path("drawings/wang-2.json")
    drawings.kept(store, results)
    honest = json.loads(path.read_text())
    assert honest["forms"] == ours
    fine = {"corrected": [[SVG.format("", "<g/>"), "kept"]], "printed": []}
    path.write_text(json.dumps({**honest, "forms": fine}))
    assert drawings.kept(store, results)["wang-2"] == fine
    for svg in ACTING:
        assert not is_plain(svg), svg
        path.write_text(json.dumps({**honest, "forms": {**fine, "printed": [[svg, "words"]]}}))
        assert drawings.kept(store, results)["wang-2"] == ours
    for content, what in forger.hostile(honest, 40, seed=4):
        path.write_text(json.dumps(content))
        found = drawings.kept(store, results)["wang-2"]
        assert found.keys() == results["wang-2"].forms.keys(), what
        assert all(not svg or is_plain(svg) for own in found.values() for svg, _ in own)
    for text in forger.raw_texts(honest, 5):
        path.write_text(text)
        assert drawings.kept(store, results)["wang-2"] == ours


def test_words_in_a_picture_are_no_style() -> None:
    svg = SVG.format("", '<text> style="} * {background: url(//pwned)"</text>')
    assert is_plain(svg)  # they are words
    assert share_styles([svg]) == ([svg], "")


# -------------------------------------------------------------------------- proofs, experiments


def outcome(level: str, steps: list[Any]) -> dict[str, Any]:
    return {
        "holds": False, "level": level, "evidence": level, "detail": "because", "witness": {"x": 1},
        "confidence": 0.9, "points": 3, "weakest": level, "shows": "x = 1", "steps": steps,
        "premises": [{"text": "x < z", "origin": "cited", "source": "a", "needed": True}],
    }  # fmt: skip


def a_ledger() -> dict[str, Any]:
    step = {"name": "one", **outcome("checked exactly", [])}
    statement = {
        "key": "000 Theorem 4", "paper": "000", "number": "Theorem 4", "section": "3",
        "lines": "1-2", "kind": "privacy", "formula": "x < y", "checked_formula": "x", "added": "y",
        "misprint": "w", "repair": "v", "print": "false", "claim": "holds if repaired",
        "refuted": True, "reason": "no", "special_case_of": [], "algorithms": ["wang-2"],
        "where": "a.py:1", "errata": ["wang-2/E2"], "severity": "S1", "cites": [],
        "argument": "first\n\nsecond", "corrected_argument": "third", "corrected_formula": "z",
        "printed": outcome("checked exactly", [step]), "as_expected": True, "absent": {"z": "no"},
        "corrected": outcome("proved (symbolic)", []), "level": "proved (symbolic)",
        "rests_on": "", "legend": {"a": "b"},
    }  # fmt: skip
    return {
        "touchstone": "1", "seed": 0, "statements": [statement], "unexpected": [], "failed": [],
        "not_run": [],
    }  # fmt: skip


def test_levels_are_those_of_the_schema() -> None:
    schema = json.loads((TEMPLATES / "proofs.schema.json").read_text())
    assert schema["$defs"]["level"]["enum"] == list(STRENGTH)


def test_names_of_forms_are_those_of_the_schema() -> None:
    schema = json.loads((TEMPLATES / "result.schema.json").read_text())
    assert schema["$defs"]["name"]["pattern"] == f"^{NAME.pattern}$"
    known = [form for build in builders().values() for form in build().forms]
    assert not [name for name in known if not NAME.fullmatch(name)]
    names = re.compile(schema["$defs"]["erratum"]["pattern"])
    assert not [name for name in errata() if not names.search(name)]


def test_a_ledger_of_others_does_nothing(forger: Any) -> None:
    ledger, store, told = a_ledger(), Store(Path()), list[str]()
    honest, used = report_of(a_result(), ledger), 0
    contents = [ledger, *(content for content, _ in forger.hostile(ledger, 45, seed=6))]
    witness = ("statements", 0, "printed", "witness", "x")
    contents += [forger.replaced(ledger, witness, text) for text in forger.texts]
    for content in contents:
        Path("proofs.json").write_text(json.dumps(content))
        found = store.read_beside("proofs.json", "proofs", told.append)
        if found is None:
            continue
        used += 1
        require_harmless(report_of(a_result(), found), honest)
        if found["statements"] and found["statements"][0]["key"] == "000 Theorem 4":
            pages = Pages(content_of(a_result(), found), RELEASED)
            require_plain_markdown(pages._statement(find("000 Theorem 4")))
            require_plain_markdown(pages._erratum(errata()["wang-2/E2"]))
    assert used > 15
    assert told
    for text in forger.raw_texts(ledger, 7):
        Path("proofs.json").write_text(text)
        assert store.read_beside("proofs.json", "proofs", told.append) is None


def test_kept_experiments_and_times_of_others_do_nothing(
    forger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quartiles = {name: [1.0, 2.0] for name in ("lower_quartile", "median", "upper_quartile")}
    panel = {
        "title": "error", "x_label": "n", "y_label": "e", "x": [1.0, 2.0], "log_x": True,
        "log_y": True, "curves": {"private": quartiles},
    }  # fmt: skip
    trend = {
        "words": "falls", "panel": 0, "result": "seen", "wins": 3, "losses": 0, "erratum": ""
    }  # fmt: skip
    result = {
        "name": "000 Figure 2", "caption": "c", "setting": "s", "repetitions": 2, "panels": [panel],
        "trends": [trend], "conditions": [{"words": "w", "found": "f", "met": "met"}],
    }  # fmt: skip
    content, context, store = {"key": "k", "result": result}, Context(), Store(Path("kept"))
    Path("kept").mkdir()
    path = Path("kept", kept_experiments._file("000 Figure 2", context))
    monkeypatch.setattr("auditor.experiments.page.figures.panels", lambda *_: Nothing())
    used, told = 0, list[str]()
    kept = kept_experiments.KeptFolder(store, warn=told.append)
    elsewhere = forger.replaced(content, ("result", "name"), "000 ../../pwned")
    for changed, _ in [(content, ""), (elsewhere, ""), *forger.hostile(content, 200, seed=8)]:
        path.write_text(json.dumps(changed))
        keys = {"000 Figure 2": "k"}
        for found in kept_experiments._found(keys, context, kept).values():
            used += 1
            page = write_page([found], "em", Path("docs"), context)
            require_one_line_texts(page.read_text())
    assert used > 5  # figures; words are few, and refused where they could act
    assert told
    assert {path.name for path in Path("docs").iterdir()} == {
        "em.md", "em.json", "experiments-em-000-figure-2.png",
    }  # fmt: skip
    for changed, _ in forger.hostile({"wang-2": {"corrected": {"scaling": 0.5}}}, 40, seed=9):
        Path("timings.json").write_text(json.dumps(changed))
        Store(Path()).read_beside("timings.json", "timings", told.append)


def require_one_line_texts(text: str) -> None:
    """Assert that Markdown has no tag, directive, link or picture but its own."""
    foreign = r"<[a-zA-Z/!?]|```|\{eval-rst\}|\]\((?!experiments-em-|em\.json\))"
    assert not re.search(foreign, text), text


class Nothing:
    """A figure that is not drawn."""

    def savefig(self, *_: Any, **options: Any) -> None:
        assert options["format"] == "png"

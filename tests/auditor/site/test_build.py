"""The site as it is built: its HTML from Sphinx, its links, its looks.

CI builds the whole site, which warns of nothing and has no dead link; here it is a few pages.
"""

from __future__ import annotations

import inspect
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.core.errors import InputError, InternalError
from auditor.site import build as building
from auditor.site import guides
from auditor.site.build import MARK, build, dead_links
from auditor.site.content import Content
from auditor.site.sphinx_roles import without_unused
from proofs_checks.statement import statements

PAGES = (
    "index", "000/theorem-4", "003/theorem-3-large-epsilon", "002/index", "004/index",
    "errata/wang-2/E2", "algorithms/wang-2", "errors-that-matter",
    "guides/check-your-mechanism", "guides/scaling", "api/auditor",
)  # fmt: skip
OTHERS = (
    "papers", "000/index", "errata/index", "algorithms/index", "guides/index", "api/index",
    "api/reference.privacy.calibration",
)  # fmt: skip


BASE = "https://example.org/t/"


def without_others(text: str) -> str:
    """Return a page whose links and contents lead to the pages that are built."""
    here = {*PAGES, *OTHERS}

    def kept(link: re.Match[str]) -> str:
        return link[0] if link[1] in here else "](/index.md)"

    text = re.sub(r"\]\(/([^)#]+)\.md(?:#[^)]*)?\)", kept, text)
    tree = re.compile(r"(?<=\n\n)(?:[\w./-]+\n)+(?=```)")
    return tree.sub(lambda m: "".join(f"{n}\n" for n in m[0].split() if n in here), text)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lets a site have these pages only."""
    return lambda **pages: only(monkeypatch, pages)


def only(patch: pytest.MonkeyPatch, pages: dict[str, str]) -> None:
    patch.setattr(building, "_sources", lambda *_: iter(pages.items()))
    for pictures in ("pictures", "drawn"):
        patch.setattr(building, pictures, dict)


@pytest.fixture(scope="module")
def site(content: Content, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A site of a few pages; building it warns of nothing."""
    folder = tmp_path_factory.mktemp("built") / "site"
    found = dict(building._sources(content, building.Released("1.0", "abc", "2026", BASE)))
    with pytest.MonkeyPatch.context() as patch:
        only(patch, {name: without_others(found[name]) for name in (*PAGES, *OTHERS)})
        patch.setattr(building, "dead_links", lambda folder: [])  # tables lead to other pages
        assert build(content, folder, base="https://example.org/t") == len(PAGES) + len(OTHERS)
    return folder


def html(site: Path, address: str) -> str:
    return (site / f"{address}.html").read_text(encoding="utf-8")


def test_three_clicks_lead_to_what_is_cited(site: Path) -> None:
    assert 'href="000/index.html"' in html(site, "index")  # 1
    assert 'href="../000/theorem-4.html"' in html(site, "000/index")  # 2: right or not, how bad
    assert "Cite it" in html(site, "000/theorem-4")
    page = html(site, "errata/wang-2/E2")
    for target in ("../../algorithms/wang-2.html", "../../000/theorem-4.html"):
        assert f'href="{target}"' in page
    assert "<svg" in html(site, "algorithms/wang-2")


def test_the_api_has_what_is_public_and_nothing_else(site: Path) -> None:
    page = html(site, "api/reference.privacy.calibration")
    anchors = set(re.findall(r'id="reference\.privacy\.calibration\.(\w+)"', page))
    assert "exponential_step_epsilon" in anchors
    assert not [name for name in anchors if name.startswith("_")]
    functions = {n for n in auditor.__all__ if inspect.isfunction(getattr(auditor, n))}
    assert functions <= set(re.findall(r'id="auditor\.(\w+)"', html(site, "api/auditor")))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for name in ("index", "004/index", "api/auditor"):
        page = html(site, name)
        loaded = re.findall(r'<(?:script|img)[^>]*\bsrc="([^"]*)"', page)
        loaded += re.findall(r'<link[^>]*rel="(?:stylesheet|preload)"[^>]*href="([^"]*)"', page)
        assert loaded
        assert not [link for link in loaded if "//" in link]


def test_the_vectors_of_an_algorithm_are_files_of_the_site(site: Path) -> None:
    files = re.findall(r'href="\.\./(vectors/[^"]*\.json)"', html(site, "algorithms/wang-2"))
    assert files == [
        f"vectors/{kind}/wang-2.json" for kind in ("algorithms", "constants", "refusals")
    ]
    for file in files:
        assert (site / file).read_bytes() == (guides.ROOT / file).read_bytes()


def test_the_frame_of_a_page_is_short(site: Path) -> None:
    """It is on two thousand pages."""
    for page in PAGES:
        text = html(site, page)
        frame = text[: text.index("<main")] + text[text.index("</main>") :]
        aside = re.search(r"<aside.*?</aside>", frame, re.S)
        assert len(frame.replace(aside[0] if aside else "", "")) < 2000
        assert not re.search(r'class="(std std-doc|typeset)"|headerlink', text), page


def test_marks_that_nothing_uses_are_left_out() -> None:
    code = '<div class="highlight-text notranslate"><div class="highlight">{}</div>\n</div>'
    code = code.format("<pre>a\n</pre>")
    items = "<li><p>a <b>b</b></p></li><li><p>c</p>\n<ul><li><p>d</p></li></ul></li>"
    context = {"body": f"{code}<ul>{items}<li><p>e</p><p>f</p></li></ul><td><p>g</p></td>"}
    without_unused(None, "", "", context, None)  # type: ignore[arg-type]
    assert context["body"] == (
        "<pre>a\n</pre><ul><li>a <b>b</b></li><li>c\n<ul><li>d</li></ul></li>"
        "<li>e<p>f</p></li></ul><td>g</td>"
    )


def test_pictures_have_few_colours() -> None:
    from PIL import Image

    packed = io.BytesIO()
    Image.effect_noise((300, 300), 60).convert("RGB").save(packed, "PNG")
    small = building._smaller(packed.getvalue())
    assert len(small) < len(packed.getvalue())
    assert len(Image.open(io.BytesIO(small)).convert("RGB").getcolors() or ()) in range(2, 65)


# ---------------------------------------------------------------------------------- build


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


def test_an_earlier_site_is_replaced(content: Content, tmp_path: Path, few: Any) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for name in (MARK, "other.html"):
        (folder / name).touch()
    few(index="# Three", second="# Four")
    assert build(content, folder) == 2
    assert (folder / MARK).exists()
    assert "Three" in html(folder, "index")
    assert not (folder / "other.html").exists()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("# One\n\n[two](/two.md)", "Sphinx warns"),
        ('# One\n\n```{raw} html\n<a href="two.html">two</a>\n```', "1 dead links"),
    ],
)
def test_a_warning_and_a_dead_link_stop_the_build(
    content: Content, tmp_path: Path, few: Any, page: str, words: str
) -> None:
    few(index=page)
    with pytest.raises(InternalError, match=words):
        build(content, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_without_sphinx_it_says_what_to_install(
    content: Content, tmp_path: Path, few: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    few(index="# One")
    monkeypatch.setitem(sys.modules, "sphinx.application", None)
    with pytest.raises(InputError, match=r"pip install 'dp-touchstone\[site\]'"):
        build(content, tmp_path / "site")


# ----------------------------------------------------------------------------------- look


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_a_screen(browser: Any, site: Path, page: str) -> None:
    for width in (390, 1400):
        assert browser.show(site / f"{page}.html", width) <= width


def test_the_noise_of_wang_2_is_on_its_first_screen(browser: Any, site: Path) -> None:
    browser.show(site / "algorithms/wang-2.html", 1400)
    place = (
        "return document.querySelector('.to-code .equations').getBoundingClientRect().bottom"
        " + window.scrollY"
    )
    assert browser.run(place) < 900
    noise = (
        "const form = document.querySelector('form.calculator'), n = form.elements.n;"
        "n.value = '10000'; n.dispatchEvent(new Event('input'));"
        "return form.hidden ? '' : form.querySelector('output').innerText"
    )
    assert "noise_scale = 0.0138452" in browser.run(noise)


def test_the_filters_filter(browser: Any, site: Path) -> None:
    browser.show(site / "002/index.html", 1400)
    count = "return document.querySelectorAll('table.statements tbody tr:not([hidden])').length"
    everything = browser.run(count)

    def shown(severity: str, text: str) -> int:
        browser.run(
            f"const f = document.querySelector('form.filters').elements;"
            f"f.severity.value = '{severity}'; f.text.value = '{text}';"
            f"f.severity.form.dispatchEvent(new Event('input'))"
        )
        return int(browser.run(count))

    own = [item for item in statements() if item.paper == "002"]
    assert everything == len(own)
    assert shown("S2", "") == sum(item.severity == "S2" for item in own)
    assert 0 < shown("", "theorem 4.2") < 20


def test_the_search_finds_a_theorem_without_a_server(browser: Any, site: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.driver.get(f"file://{site / 'search.html'}?q=smoothed+truncation+disjoint+blocks")
    links = "return [...document.querySelectorAll('#search-results li a')].map(a => a.href)"
    WebDriverWait(browser.driver, 60).until(
        lambda b: any("algorithms/wang-2" in link for link in b.execute_script(links))
    )


def test_every_citation_leads_to_the_page_that_it_is_on(site: Path) -> None:
    found = dict.fromkeys(PAGES, 0)
    for page in PAGES:
        text = re.sub(r"<[^>]+>", "", html(site, page))
        for address in re.findall(r"Touchstone 1\.0, (https?://[^\s}<]+)", text):
            where = site / address.removeprefix(BASE)
            assert where.resolve() == (site / f"{page}.html").resolve(), (page, address)
            found[page] += 1
    for page in ("003/theorem-3-large-epsilon", "errata/wang-2/E2", "algorithms/wang-2"):
        assert found[page] == 2, found  # as text and for BibTeX

"""The site from its pages: sources in a folder of their own, HTML by Sphinx."""

from __future__ import annotations

import gc
import io
import re
import shutil
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from html import unescape
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from PIL import Image

from auditor.core.errors import InputError, InternalError
from auditor.core.version import version
from auditor.site import calculator, key
from auditor.site.content import ROOT, Content, commit
from auditor.site.guides import GROUPS, drawn, guides, pictures
from auditor.site.names import script
from auditor.site.pages import Pages, Released
from auditor.suite.store import TEMPLATES

CONFIGURATION: dict[str, Any] = {
    "project": "Touchstone",
    "author": "The Touchstone developers",
    "extensions": [
        "myst_parser", "sphinx.ext.autodoc", "numpydoc", "auditor.site.sphinx_roles",
    ],
    "myst_enable_extensions": ["attrs_inline"],
    "myst_heading_anchors": 3,
    "myst_ref_domains": ["std", "py"],  # no page names anything of another language
    "smartquotes": False,
    # thousands of pages would make every menu long; an index or a table leads to each
    "suppress_warnings": ["toc.not_included"],
    "numpydoc_show_class_members": False,
    "autodoc_typehints": "none",
    "html_theme": "touchstone",
    "html_theme_path": [str(TEMPLATES / "site" / "theme")],
    "html_title": "Touchstone",
    "html_static_path": [str(TEMPLATES / "site" / "static")],
    "html_js_files": ["site.js"],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_permalinks": False,
    "html_use_index": False,
}  # fmt: skip


def build(content: Content, folder: Path, *, base: str = "", workers: int = 1) -> int:
    """Write the site into a folder; return the number of its pages.

    Parameters
    ----------
    content : Content
    folder : Path
        What is in it from an earlier build is replaced.
    base : str
        The address under which it will be found, for citations; optional.
    workers : int, default 1
        Processes.

    Raises
    ------
    InputError
        If this is no clone, the extra is not installed or the folder has something else in it.
    InternalError
        If Sphinx warns of anything, or a link leads nowhere.
    """
    _require_own(folder)
    released = Released(version(), *commit(), base and f"{base.rstrip('/')}/")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        source, html = Path(name, "source"), Path(name, "html")
        with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
            drawing = pool.submit(_drawn)  # beside the texts, which take as long
            pages = dict(_sources(content, released))
            texts = {f"{address}.md": text.encode() for address, text in pages.items()}
            shown = drawing.result()
        for file, written in {**texts, **shown}.items():
            path = source / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written)
        # in a process of its own, whose end frees a gigabyte of nodes at once
        with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
            pool.submit(_sphinx, source, html, released, workers).result()
        (html / "_static" / "names.js").write_text(script(content), encoding="utf-8")
        (html / "_static" / "constants.js").write_text(calculator.script(), encoding="utf-8")
        own = html / "_static" / "site.js"
        own.write_text(key.script() + own.read_text(encoding="utf-8"), encoding="utf-8")
        for vectors in (ROOT / "vectors").glob("**/*.json"):
            there = html / vectors.relative_to(ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(vectors, there)
        dead = dead_links(html)
        if dead:
            raise InternalError(f"{len(dead)} dead links, such as {dead[0]}")
        (html / MARK).touch()
        shutil.rmtree(folder, ignore_errors=True)
        html.rename(folder)
    return len(pages)


MARK = ".touchstone-site"
"""A file that says that a folder is a site, and may be replaced."""


def _require_own(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise InputError(f"{folder} has something else in it; choose another folder")


def _drawn() -> dict[str, bytes]:
    """Return the pictures and notebooks of the guides, by file."""
    found = {**dict(pictures()), **dict(drawn())}
    return {f: _smaller(data) if f.endswith(".png") else data for f, data in found.items()}


def _smaller(png: bytes) -> bytes:
    """Return a picture in 64 colours, a quarter of the size: plots have few."""
    packed = io.BytesIO()
    plain = Image.open(io.BytesIO(png)).convert("RGB")
    plain.quantize(64, dither=Image.Dither.NONE).save(packed, "PNG")
    return min(packed.getvalue(), png, key=len)


def _sources(content: Content, released: Released) -> Iterator[tuple[str, str]]:
    pages = Pages(content, released)
    yield from pages.all()
    yield "guides/index", pages.render("guides", groups=GROUPS)
    yield from guides()


def _sphinx(source: Path, html: Path, released: Released, workers: int) -> None:
    """Make HTML from Markdown, in a process that ends with it.

    Raises
    ------
    InputError
        If Sphinx is not installed.
    InternalError
        If it warns of anything.
    """
    try:
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    except ImportError as error:
        raise InputError(
            f"{error.name} is not installed; the site needs: pip install 'dp-touchstone[site]'"
        ) from None
    own = {
        "release": released.version,
        "copyright": f"the Touchstone developers. Version {released.version}, built from "
        f"{released.commit}",
        "html_baseurl": released.base,
    }
    gc.disable()  # among millions of nodes, looking for cycles takes a third of the time
    said = io.StringIO()
    with patch_docutils(None), docutils_namespace(), warnings.catch_warnings():
        # myst-parser's, which says them thousands of times
        warnings.filterwarnings("ignore", module="myst_parser")
        app = Sphinx(
            source,
            None,
            html,
            html.with_name("doctrees"),
            "html",
            confoverrides={**CONFIGURATION, **own},
            status=None,
            warning=said,
            parallel=workers,
        )
        app.build()
    text = said.getvalue().strip()
    if text:
        lines = [line.replace(str(source), "") for line in text.splitlines()]
        shown = "\n".join(lines[:20])
        raise InternalError(f"Sphinx warns {len(lines)} times:\n{shown}")


# -------------------------------------------------------------------------------- links


_TAG = re.compile(r"<[a-z][^>]*>")
_ATTRIBUTE = re.compile(r'\s(href|src|id|name)="([^"]+)"')


@dataclass(frozen=True)
class _Page:
    links: frozenset[str]
    anchors: frozenset[str]


def dead_links(folder: Path) -> list[str]:
    """Return the links inside a site that lead nowhere, as ``page: link``.

    Parameters
    ----------
    folder : Path
        Of HTML files. Links to other sites are not followed.
    """
    pages = {
        path.resolve(): _parsed(path)
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts
    }
    dead = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = pages.get(target)
            lost = parts.fragment and there is not None and parts.fragment not in there.anchors
            if not target.exists() or lost:
                dead.append(f"{path.relative_to(folder.resolve())}: {link}")
    return dead


def _parsed(path: Path) -> _Page:
    """Return the links and anchors of a page of Sphinx's, which quotes and escapes every value."""
    text = re.sub(r"<script\b.*?</script>", "", path.read_text(encoding="utf-8"), flags=re.S)
    found: dict[str, set[str]] = defaultdict(set)
    for tag in _TAG.finditer(text):
        for name, value in _ATTRIBUTE.findall(tag[0]):
            found[name].add(unescape(value))
    return _Page(frozenset(found["href"] | found["src"]), frozenset(found["id"] | found["name"]))

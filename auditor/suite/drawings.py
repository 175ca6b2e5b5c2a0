"""The drawings of results: made once, and kept beside the results that they belong to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from auditor.core.errors import InputError, one_line
from auditor.core.verdict import Verdict
from auditor.runs.parallel import in_parallel
from auditor.suite.keys import Sources
from auditor.suite.plan import is_corrected
from auditor.suite.store import FormResult, Result, Store
from auditor.suite.svg import STYLE, is_plain

Drawing = tuple[str, str]
"""An SVG element, empty where nothing could be drawn, and its caption."""

UNDRAWN = "Could not be drawn:"
"""Beginning of the caption of a drawing that failed."""

FOLDER = "drawings"
"""Folder of the drawings, within that of the results."""


def draw(
    results: Mapping[str, Result], workers: int = 1
) -> dict[str, dict[str, Sequence[Drawing]]]:
    """Return the drawings of every form of every result.

    Parameters
    ----------
    results : mapping
        id -> result.
    workers : int, default 1
        Processes that draw.
    """
    forms = [
        (i, name, form) for i, result in results.items() for name, form in result.forms.items()
    ]
    drawn = in_parallel(_of_form, forms, workers, ordered=True)
    found: dict[str, dict[str, Sequence[Drawing]]] = {identifier: {} for identifier in results}
    for (identifier, name, _), pictures in zip(forms, drawn, strict=True):
        found[identifier][name] = pictures
    return found


def kept(
    store: Store, results: Mapping[str, Result], workers: int = 1
) -> dict[str, dict[str, Sequence[Drawing]]]:
    """Return what :func:`draw` does, of which only what is not in the store's folder is drawn.

    A drawing is kept with a hash of its result, of the code that draws and of matplotlib's version;
    one of others, or one that cannot be read, is drawn again. The hash is no secret: what is kept
    is used only if it is plain SVG (:mod:`auditor.suite.svg`).
    """
    code = Sources().digest("auditor.figures", __name__) + metadata.version("matplotlib")
    keys = {
        i: hashlib.sha256((code + r.to_json()["hash"]).encode()).hexdigest()
        for i, r in results.items()
    }
    found = {}
    for identifier, key in keys.items():
        try:
            stored = store.read_json(f"{FOLDER}/{identifier}.json", "drawings")
        except InputError:
            continue
        if stored is not None and stored["key"] == key and _is_ours(stored, results[identifier]):
            found[identifier] = stored["forms"]
    missing = {i: result for i, result in results.items() if i not in found}
    for identifier, forms in draw(missing, workers).items():
        content = {"key": keys[identifier], "forms": forms}
        store.write_json(f"{FOLDER}/{identifier}.json", content)
        found[identifier] = forms
    return {identifier: found[identifier] for identifier in results}


def _is_ours(stored: Mapping[str, Any], result: Result) -> bool:
    """Return whether kept drawings are of the forms of a result, and nothing but drawings."""
    svgs = [svg for own in stored["forms"].values() for svg, _ in own if svg]
    return stored["forms"].keys() == result.forms.keys() and all(map(is_plain, svgs))


def _of_form(identifier: str, name: str, form: FormResult) -> list[Drawing]:
    """Return the drawings of a form; of a printed one, only of what is wrong."""
    return [
        drawing
        for question, verdict in form.verdicts.items()
        if is_corrected(name) or verdict.status != "holds"
        for drawing in _of_verdict(verdict, f"{identifier}/{name}/{question}")
    ]


def _of_verdict(verdict: Verdict, name: str) -> list[Drawing]:
    """Return the drawings of a verdict, or the words that they could not be drawn.

    A report that lacks a picture says so, and says all the rest.
    """
    from auditor import figures  # loads slowly

    plain = verdict.status == "holds"
    try:
        drawn = list(figures.drawings(verdict.question, verdict.evidence, name, plain=plain))
    except Exception as error:  # evidence may be of any shape: the file may be anybody's
        return [("", f"{UNDRAWN} {verdict.question} ({one_line(error)}).")]
    if not all(is_plain(svg) for svg, _ in drawn):
        return [("", f"{UNDRAWN} {verdict.question} (its words are no plain text).")]
    return drawn


def share_styles(drawn: Sequence[str]) -> tuple[list[str], str]:
    """Return figures with classes in place of their styles, and the classes as CSS.

    Parameters
    ----------
    drawn : sequence of str
        SVG elements; a hundred of them use but a few dozen styles.
    """
    found = dict.fromkeys(style for svg in drawn for style in _STYLES.findall(svg))
    classes = {style: f"s{number}" for number, style in enumerate(found)}
    shared = [_STYLES.sub(lambda m: f' class="{classes[m[1]]}"', svg) for svg in drawn]
    return shared, "\n".join(f"svg .{name} {{ {style} }}" for style, name in classes.items())


_STYLES = re.compile(rf' style="({STYLE})"')

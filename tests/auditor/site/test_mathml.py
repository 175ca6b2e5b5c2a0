"""Formulas in MathML say what the plain text says: they are read back and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from auditor.site.formulas.mathml import html, mathml
from auditor.site.formulas.scripts import GREEK, SIGNS, with_scripts
from auditor.site.formulas.tree import Ambiguous
from proofs_checks.statement import statements
from reference.catalogue import errata

MOST_UNREADABLE = 18
"""Texts that are left with scripts alone, of all statements and errata."""

NAMES = {
    **{sign: rf"(?<![A-Za-z]){name}(?![a-z])" for name, sign in GREEK.items()},
    **{sign: re.escape(name) for name, sign in SIGNS.items()},
    "…": r"\.\.\.?", "±": r"(?:\+-|±)", "∇": "(?:grad|nabla)", "∞": "(?:infinity|inf)",
    "∑": "sum", "∏": "prod", "∫": "int", "∈": r"\bin\b", "⟨": "<", "⟩": ">", "−": "-",
    "∗": r"\*", "·": r"\.", "∼": "~", "≪": "<<", "≫": ">>", "′": "'", "√": "sqrt",
}  # fmt: skip
"""Sign -> pattern of what it is in plain text."""

ACCENTS = {"^": r"(?:\^|[-_]hat)", "~": "(?:~|[-_]tilde)", "¯": "[-_]bar"}
UNBRACKETED = re.compile(r"[-+]?(?:[A-Za-z]+\d*|\d*\.?\d+)'*|[-+*]")
"""Scripts that need no bracket around them."""


def plain(text: str) -> str:
    """Return the pattern of the plain texts that are shown as a text."""
    return r"\s*".join(NAMES.get(sign, re.escape(sign)) for sign in text if not sign.isspace())


def read(element: ElementTree.Element) -> str:
    """Return the pattern of the plain texts that an element shows."""
    parts = [read(child) for child in element]
    match element.tag:
        case "msub" | "munder":
            return f"{parts[0]}{script('_', parts[1], element[1])}"
        case "msup" | "msubsup":
            below = script("_", parts[1], element[1]) if element.tag == "msubsup" else ""
            marks, power = above(element[-1])
            orders = (marks + below + power, marks + power + below, below + marks + power)
            return rf"{parts[0]}(?:{'|'.join(dict.fromkeys(orders))})"
        case "mover":
            return rf"{parts[0]}{ACCENTS[element[1].text or '']}"
        case "msqrt":
            single = len(element) == 1 and element[0].tag in ("mi", "mn")
            inside = r"\s*".join(parts)
            return rf"sqrt(?:\(\s*{inside}\s*\)" + (rf"|\s?{inside}(?!\w))" if single else ")")
        case "mfrac":
            return rf"{product(element[0])}\s*/\s*{product(element[1])}"
        case "mspace":
            return ""
    texts = [plain(element.text or "")]
    for part, child in zip(parts, element, strict=True):
        texts += [part, plain(child.tail or "")]
    return r"\s*".join(text for text in texts if text)


def above(element: ElementTree.Element) -> tuple[str, str]:
    """Return the patterns of the marks of a symbol and of its power."""
    parts = [element] if element.tag != "mrow" else list(element)
    marked = 0
    while marked < len(parts) and parts[marked].text in ("′", "∗"):
        marked += 1
    marks = "".join(rf"\^?{plain(part.text or '')}" for part in parts[:marked])
    if marked == len(parts):
        return marks, ""
    rest = ElementTree.Element("mrow")
    rest.extend(parts[marked:])
    return marks, script(r"\^", read(rest), rest)


def script(mark: str, inside: str, element: ElementTree.Element) -> str:
    """Return the pattern of a script, in brackets unless it is one symbol or number."""
    shown = "".join(element.itertext()).replace("−", "-").replace("′", "'").replace("∗", "*")
    shown = "".join(GREEK_NAMES.get(sign, sign) for sign in shown)
    order = re.fullmatch(r"-?(?:O|Omega|Theta)\(.*\)|-\(.*\)", shown)
    alone = UNBRACKETED.fullmatch(shown) or order
    free = rf"|{inside}(?![A-Za-z0-9])" if alone else ""
    return rf"\s*{mark}(?:\(\s*{inside}\s*\)|\{{\s*{inside}\s*\}}{free})"


GREEK_NAMES = {sign: name for name, sign in GREEK.items()} | {"∞": "inf"}


def product(element: ElementTree.Element) -> str:
    """Return the pattern of a part of a fraction: in brackets if it has a sum or a slash."""
    inside = read(element)
    bracketed = rf"\(\s*{inside}\s*\)"
    signs = [child.text for child in element if child.tag == "mo" and element.tag == "mrow"]
    alone = not signs or signs[0] in tuple("([{⟨|‖") or set(signs) <= {"∇"}
    return rf"(?:{bracketed}|{inside})" if alone else bracketed


def says(shown: str, text: str) -> bool:
    """Return whether HTML shows a plain text and nothing else."""
    element = ElementTree.fromstring(f"<p>{shown}</p>")
    return re.fullmatch(rf"\s*{read(element)}\s*", text) is not None


def texts() -> Iterator[str]:
    for item in statements():
        yield item.printed
        yield item.checked
        if item.of_corrected:
            yield item.of_corrected.formula
    for erratum in errata().values():
        yield erratum.statement
        yield erratum.truth


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (
            "a b/(c d) e",
            "<mfrac><mrow><mi>a</mi><mi>b</mi></mrow><mrow><mi>c</mi><mi>d</mi></mrow></mfrac>"
            "<mi>e</mi>",
        ),
        # where a reader may see another fraction, the slash stays
        (
            "log a/(b)",
            "<mi>log</mi>{gap}<mi>a</mi>{slash}<mrow><mo>(</mo><mi>b</mi><mo>)</mo></mrow>",
        ),
        (
            "a/b/(c)",
            "<mi>a</mi>{slash}<mi>b</mi>{slash}<mrow><mo>(</mo><mi>c</mi><mo>)</mo></mrow>",
        ),
        ("a/b c", "<mi>a</mi>{slash}<mi>b</mi>{gap}<mi>c</mi>"),
        ("x^^t", '<msup><mover accent="true"><mi>x</mi><mo>^</mo></mover><mi>t</mi></msup>'),
        ("sqrt 2W", None),
        ("e^-1/2", None),
        ("e^epsilon(x)", None),
        ("X^Ty", None),
    ],
)
def test_formulas(text: str, shown: str | None) -> None:
    if shown is None:
        assert html(text) == with_scripts(text)
        return
    slash, gap = "<mo>/</mo>", '<mspace width=".2em"/>'
    assert mathml(text) == f"<math>{shown.format(slash=slash, gap=gap)}</math>"
    assert says(mathml(text), text)


def test_words_stay_between_formulas() -> None:
    shown = html("mean 0, zero-mean x_i: (4.8) holds for a vector (Theorem 4.1) < 2")
    assert re.sub("<math>.*?</math>", "_", shown) == (
        "mean 0, zero-mean _: (4.8) holds for a vector (Theorem 4.1) &lt; 2"
    )


def test_a_long_formula_has_places_where_its_line_is_broken() -> None:
    shown = html(" + ".join(f"alpha_{i} x_{i}" for i in range(9)))
    assert shown.count("</math> + <math>") == 8
    assert says(shown, " + ".join(f"alpha_{i} x_{i}" for i in range(9)))


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("<math><mi>x</mi></math>", "y"),
        ("<math><msup><mi>x</mi><mrow><mn>2</mn><mi>y</mi></mrow></msup></math>", "x^2 y"),
        ("<math><msqrt><mi>x</mi><mi>y</mi></msqrt></math>", "sqrt(x) y"),
        (
            "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac></math>",
            "a + b/c",
        ),
        ("<math><mi>x</mi></math> of", "x"),
    ],
)
def test_what_says_something_else_is_noticed(shown: str, text: str) -> None:
    assert not says(shown, text)


def test_every_formula_says_what_its_text_says() -> None:
    unreadable, wrong = [], []
    for text in dict.fromkeys(filter(None, texts())):
        try:
            shown = mathml(text)
        except Ambiguous:
            unreadable.append(text)
            continue
        if not says(shown, text):
            wrong.append(text)
    assert wrong == []
    assert len(unreadable) <= MOST_UNREADABLE

"""Plain words: first lines of docstrings, and words that have a plainer one."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

HOUSE = Path(__file__).parents[2]
ROOMS = ("reference", "auditor", "proofs_checks", "tests", "benchmarks", "examples", "vectors")
FILES = sorted(path for room in ROOMS for path in (HOUSE / room).rglob("*.py"))
PAGES = sorted(
    path
    for folder in (*ROOMS, "docs")
    for kind in ("md", "txt", "html", "ipynb", "schema.json")
    for path in (HOUSE / folder).rglob(f"*.{kind}")
)
SCHEMAS = [path for path in PAGES if path.name.endswith(".schema.json")]

CLAUSE = re.compile(r"(Apart|How|If|Of|That|Those|What|When|Where|Whether|Which)\b")
"""Beginning of a clause that says something of a thing in place of naming it."""

REPLACED = {
    r"\banew\b": "again, or rebuild, redraw",
    r"\bas one goes\b": "adaptively",
    r"\bcarr(y|ies|ied|ying) (it |them |this |that )?out\b": "run",
    r"\bdear(er|est|ly)?\b": "expensive",
    r"\b(are|be|is|was|were) heard\b": "wins, counts",
    r"\b(are|is) not to be\b": "cannot be",
    r"\bnext to nothing\b": "almost nothing",
    r"\bone could meet\b": "plausible",
    r"\bwhat one gets\b": "the result, the error",
}
"""Words that are wrong wherever they stand here, and what to say in their place."""

FORMULAS = ("proofs_checks/", "reference/errata/", "tests/", "examples/recompute_witnesses.py")
"""Places in which a function's docstring may begin with a formula: proofs, misprints, tests."""

ARGUMENTS = ("proofs_checks/paper_", "proofs_checks/em/")
"""Places in which a function's docstring is a mathematical argument and may begin with "If"."""


class Docstring(NamedTuple):
    """First line of a docstring, and the kind of thing that it describes."""

    kind: str
    first: str
    place: str


def docstrings(tree: ast.AST, name: str) -> Iterator[Docstring]:
    """Yield the docstrings of a module, its classes, functions and attributes."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        described: list[ast.AST | None] = [None, *body]
        for owner, item in zip(described, body, strict=False):
            if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)):
                continue
            text = item.value.value
            if not isinstance(text, str):
                continue
            if owner is None and isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ):
                kind = _kind(node)
            elif isinstance(owner, ast.Assign | ast.AnnAssign):
                kind = "attribute"
            else:
                continue
            yield Docstring(kind, text.strip().partition("\n")[0], f"{name}:{item.lineno}")


def _kind(node: ast.AST) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "class or module"
    decorators = {ast.unparse(item) for item in node.decorator_list}
    return "attribute" if decorators & {"property", "cached_property"} else "function"


def badly_begun(found: Docstring) -> bool:
    """Return whether a first line begins with a clause where it should name a thing or an act."""
    argues = found.kind == "function" and found.place.startswith(ARGUMENTS)
    return bool(CLAUSE.match(found.first)) and not argues


def no_sentence(found: Docstring) -> bool:
    """Return whether a function's first line is no sentence: capital letter, full stop."""
    if found.kind != "function" or found.place.startswith(ARGUMENTS):
        return False
    capital = found.first[:1].isupper() or found.place.startswith(FORMULAS)
    return not (capital and found.first.endswith("."))


def replaced(text: str) -> list[str]:
    """Return the words in a text that have a plainer one, with that one."""
    words = " ".join(text.split())
    return [
        f"{found[0]!r}: say {better}"
        for pattern, better in REPLACED.items()
        for found in re.finditer(pattern, words, flags=re.IGNORECASE)
    ]


def everything() -> Iterator[Docstring]:
    """Yield every docstring of the project."""
    for path in FILES:
        name = path.relative_to(HOUSE).as_posix()
        yield from docstrings(ast.parse(path.read_text(encoding="utf-8")), name)


def test_a_docstring_names_a_thing_or_an_act() -> None:
    found = list(everything())
    assert len(found) > 8000
    assert [(item.place, item.first) for item in found if badly_begun(item)] == []


def test_a_functions_first_line_is_a_sentence() -> None:
    assert [(item.place, item.first) for item in everything() if no_sentence(item)] == []


def test_a_schema_names_what_it_describes() -> None:
    begun = []
    for path in SCHEMAS:
        nodes = [json.loads(path.read_text(encoding="utf-8"))]
        while nodes:
            node = nodes.pop()
            children = node.values() if isinstance(node, dict) else node
            nodes += [child for child in children if isinstance(child, dict | list)]
            if isinstance(node, dict):
                texts = [node.get(key) for key in ("title", "description")]
                begun += [(path.name, x) for x in texts if isinstance(x, str) and CLAUSE.match(x)]
    assert len(SCHEMAS) > 20
    assert begun == []


def test_plain_words_everywhere() -> None:
    texts = [HOUSE / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    paths = [path for path in (*texts, *FILES, *PAGES) if path != Path(__file__)]
    found = {
        path.relative_to(HOUSE).as_posix(): words
        for path in paths
        if (words := replaced(path.read_text(encoding="utf-8")))
    }
    assert found == {}


BROKEN = '''"""{module}"""

LIMIT = 1
"""{attribute}"""


class Thing:
    """{cls}"""

    @property
    def size(self):
        """{prop}"""

    def act(self):
        """{function}"""
'''
RIGHT = {
    "module": "Things of one kind.",
    "attribute": "Largest number of them.",
    "cls": "A thing.",
    "prop": "Its size.",
    "function": "Return it.",
}


@pytest.mark.parametrize(
    ("broken", "text", "by"),
    [
        *[(key, f"{word} it is.", badly_begun) for key in RIGHT for word in ("What", "Whether")],
        ("attribute", "Of the steps.", badly_begun),
        ("module", "Apart from the audit.", badly_begun),
        ("function", "return it.", no_sentence),
        ("function", "Return it", no_sentence),
    ],
)
def test_a_bad_first_line_is_seen(broken: str, text: str, by: object) -> None:
    def seen(texts: dict[str, str]) -> list[str]:
        tree = ast.parse(BROKEN.format(**texts))
        return [item.first for item in docstrings(tree, "auditor/thing.py") if by(item)]  # type: ignore[operator]

    assert seen({**RIGHT, broken: text}) == [text]
    assert seen(RIGHT) == []


def test_a_replaced_word_is_seen() -> None:
    samples = (
        "drawn anew", "chosen as\none goes", "carried out", "Carry it out", "Dear to ask",
        "the first is heard", "is not to be had", "next to nothing", "that one could meet",
        "what one gets wrong",
    )  # fmt: skip
    assert all(len(replaced(sample)) == 1 for sample in samples)
    assert len(samples) > len(REPLACED)
    assert replaced("run again; expensive; overheard; a dearth; to carry outputs") == []

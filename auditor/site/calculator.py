"""The calculator of an algorithm's constants: the JavaScript port, as one script for all pages."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from auditor.conformance import store
from auditor.site.content import ROOT

PORT = ROOT / "vectors" / "consumers" / "javascript"
"""The port, which answers all conformance vectors of the kind ``constants`` that it has."""

_REQUIRED = re.compile(r'require\("\./([\w-]+)\.js"\)')
_EXPORTS_CONSTANTS = re.compile(r"module\.exports = \{[^}]*\bconstants\b")


def script() -> str:
    """Return the port's constants as one script that runs in a browser.

    Every file of the port is a function in it, unchanged; they are called when another one requires
    them. The constants of all algorithms are ``globalThis.touchstoneConstants``.
    """
    families = sorted(path.stem for path in PORT.glob("*.js") if _has_constants(path))
    needed = _closure([*families, "decoding"])
    functions = ",\n".join(
        f'"./{name}.js": (module, exports, require) => {{\n{_source(name)}}}' for name in needed
    )
    listed = json.dumps([f"./{name}.js" for name in families])
    return (
        "// The constants of the port in vectors/consumers/javascript, in one file.\n"
        "(() => {\n"
        f"const files = {{\n{functions}\n}};\n"
        "const loaded = {};\n"
        "const load = (name) => {\n"
        "  if (!(name in loaded)) {\n"
        "    const module = { exports: {} };\n"
        "    loaded[name] = module;\n"
        "    files[name](module, module.exports, load);\n"
        "  }\n"
        "  return loaded[name].exports;\n"
        "};\n"
        f"const families = {listed}.map(load);\n"
        "globalThis.touchstoneConstants = Object.assign({}, ...families.map((f) => f.constants));\n"
        'globalThis.touchstoneDecoded = load("./decoding.js").decoded;\n'
        "})();\n"
    )


def _has_constants(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return "node:" not in text and _EXPORTS_CONSTANTS.search(text) is not None


def _closure(names: list[str]) -> list[str]:
    """Return files and all that they require."""
    found: dict[str, None] = {}
    while names:
        name = names.pop()
        if name not in found:
            found[name] = None
            names.extend(_REQUIRED.findall(_source(name)))
    return sorted(found)


@cache
def _source(name: str) -> str:
    return (PORT / f"{name}.js").read_text(encoding="utf-8")


def prefilled(identifier: str) -> dict[str, Any] | None:
    """Return the inputs that an algorithm's calculator begins with: those of the first vector.

    Returns
    -------
    dict or None
        None if the algorithm has no vectors of the kind ``constants``.
    """
    path = store.path_of("constants", identifier)
    cases = store.read(path) if path.exists() else []
    return dict(cases[0]["inputs"]) if cases else None

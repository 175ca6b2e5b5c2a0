"""Files that Coq compiles together, each a module of one generated file.

Coq needs three CPU seconds to load the library, and less than one for most instances.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

LIBRARY = "Touchstone"
"""The logical name under which the files require each other."""

_REQUIRE = re.compile(rf"From {LIBRARY}\.(\w+)\s+Require\s+(?:Import|Export)\s+([^.]*)\.")


def required(text: str) -> list[str]:
    """Return the files below ``coq`` that a source requires."""
    return [f"{part}/{name}.v" for part, names in _REQUIRE.findall(text) for name in names.split()]


def logical_name(file: str) -> str:
    """Return the name under which Coq knows a file below ``coq``."""
    return f"{LIBRARY}." + file.removesuffix(".v").replace("/", ".")


def module_of(file: str) -> str:
    """Return the name of a file's module in a group."""
    return file.removesuffix(".v").replace("/", "_")


@dataclass(frozen=True)
class Group:
    """A generated file in which each of several files is a module.

    Attributes
    ----------
    file : str
        Its name, a hash of its text.
    text : str
    before : mapping
        By member, in order: the number of lines before its own first.
    """

    file: str
    text: str
    before: Mapping[str, int]

    def printed(self, output: str) -> dict[str, str]:
        """Return by member what Coq printed of it."""
        _, *parts = re.split(rf"^({'|'.join(self.before)})\n", output, flags=re.MULTILINE)
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def culprit(self, error: str) -> tuple[str | None, str]:
        """Return the member in which an error lies, if in any, and the error with its lines."""
        place = re.compile(rf'File "\./{self.file}", line (\d+)')
        found = place.search(error)
        inside = [m for m, lines in self.before.items() if found and lines < int(found[1])]
        if not inside:
            return None, error
        member = inside[-1]
        first = self.before[member]
        return member, place.sub(lambda m: f'File "./{member}", line {int(m[1]) - first}', error)


def group(sources: Mapping[str, str]) -> Group:
    """Return the group of some sources, by file below ``coq``.

    What all members import is imported once. Everything else that a member imports, it imports in
    its own module.
    """
    needed = {file: [logical_name(name) for name in required(s)] for file, s in sources.items()}
    everything = dict.fromkeys(name for names in needed.values() for name in names)
    shared = {name for name in everything if all(name in names for names in needed.values())}
    lines = [f"Require {'Import ' if name in shared else ''}{name}." for name in everything]
    before: dict[str, int] = {}
    for file, source in sources.items():
        own = " ".join(name for name in needed[file] if name not in shared)
        lines.append(f'Module {module_of(file)}. Goal True. idtac "{file}". Abort.')
        lines.append(f"Import {own}." if own else "")
        before[file] = len(lines)
        lines += _REQUIRE.sub(lambda m: "\n" * m[0].count("\n"), source).splitlines()
        lines.append(f"End {module_of(file)}.")
    text = "\n".join([*lines, ""])
    return Group(f"Group_{hashlib.sha256(text.encode()).hexdigest()[:8]}.v", text, before)

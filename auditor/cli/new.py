"""``touchstone new``."""

from __future__ import annotations

import keyword
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import click

from auditor.cli.options import debug_option
from auditor.cli.terminal import say
from auditor.core.errors import InputError

TEMPLATE = Path(__file__).parents[1] / "templates" / "new"


@click.command()
@click.argument("name")
@click.option(
    "--in",
    "parent",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which the new one is made.  [default: this one]",
)
@debug_option
def new(name: str, parent: Path, debug: bool) -> None:
    """Write a folder NAME with an algorithm that runs, is audited and has tests.

    It is a private mean of clipped records, with a wrong version and a broken twin that its audit
    must notice: replace it line by line by an algorithm of your own.
    """
    folder = parent / name
    if folder.exists():
        raise InputError(f"{folder} exists; choose another name, or move it away")
    _require_name(name)
    words = {"my_algorithm": name, "my-algorithm": _id(name)}
    try:
        folder.mkdir(parents=True)
        for path in sorted(TEMPLATE.iterdir()):
            text = path.read_text(encoding="utf-8")
            for old, own in words.items():
                text = text.replace(old, own)
            (folder / path.stem).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {folder} ({error.strerror or error})") from None
    say(f"wrote {folder}; audit it and run its tests:")
    inside = [] if parent == Path() else [f"cd {shlex.quote(str(parent))}"]
    for line in (
        *inside,
        f"touchstone audit --cases {name}/cases.py",
        f"python -m pytest {name}",
    ):
        say(f"    {line}")


def _require_name(name: str) -> None:
    """Raise InputError unless a name can be that of a package, and is nobody else's."""
    from reference.catalogue import UnknownAlgorithmError, entry

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"a name is small letters, digits and _, such as my_mean; got {name!r}")
    texts = (path.read_text(encoding="utf-8") for path in TEMPLATE.iterdir())
    if any(re.search(rf"\b{name}\b", text) for text in texts):
        raise InputError(f"{name!r} means something else in these files; choose a longer name")
    if find_spec(name) is not None:
        raise InputError(f"{name!r} is the name of another module; choose another")
    try:
        known = entry(_id(name)).id
    except UnknownAlgorithmError:
        return
    raise InputError(f"{known} is an algorithm of the papers; choose another name")


def _id(name: str) -> str:
    """Return the id of the algorithm in a package."""
    return name.replace("_", "-")

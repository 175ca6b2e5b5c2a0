"""``touchstone vectors list | show | generate | verify``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli.options import debug_option
from auditor.cli.status import ExitStatus
from auditor.cli.terminal import messages, output, progress_bar, say
from auditor.core.errors import InputError, did_you_mean
from auditor.core.files import why_unreadable

if TYPE_CHECKING:
    from auditor.conformance.compare import Difference


class _OrShow(click.Group):
    """``vectors ID`` is short for ``vectors show ID``."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command, ``show`` where there is none of that name."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


folder_option = click.option(
    "--vectors",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    show_default="those that come with this package",
    help="Folder of vectors.",
)


@click.group(cls=_OrShow)
def vectors() -> None:
    """Conformance vectors: what a port must compute from given inputs and draws.

    `touchstone vectors ID` prints the vectors of an algorithm; `touchstone conform` puts them to a
    program.
    """


@vectors.command("list")
@folder_option
@debug_option
def list_vectors(folder: Path | None, debug: bool) -> None:
    """List the kinds of vectors and what there are vectors of."""
    from auditor.conformance import store
    from auditor.conformance.kinds import kinds

    present = list(store.files(folder or store.FOLDER))
    if not present:
        raise InputError(f"there are no vectors in {folder or store.FOLDER}")
    for kind in kinds().values():
        mine = [(of, len(store.read(path))) for name, of, path in present if name == kind.name]
        say(f"{kind.name}  {sum(n for _, n in mine)} cases: {kind.about}", "bold")
        output.print("  " + ", ".join(f"{of} ({n})" for of, n in mine), highlight=False)


@vectors.command()
@click.argument("identifier", metavar="ID")
@folder_option
@debug_option
def show(identifier: str, folder: Path | None, debug: bool) -> None:
    """Print as JSON the vectors of an algorithm or the like, or one case by its id."""
    from auditor.conformance import store
    from auditor.conformance.plain import written

    where = folder or store.FOLDER
    case = store.find(identifier, where) if "/" in identifier else None
    if case is not None:
        click.echo(written(dict(case)))
        return
    found = [path for _, path in _chosen([identifier], where)]
    if len(found) == 1:
        store.read(found[0])  # says what is wrong with a broken file
        click.echo(found[0].read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(
            written(
                [
                    {"kind": path.parent.name, "of": path.stem, "cases": store.read(path)}
                    for path in found
                ]
            )
        )


@vectors.command()
@click.argument("ids", nargs=-1)
@folder_option
@debug_option
def generate(ids: tuple[str, ...], folder: Path | None, debug: bool) -> None:
    """Write the vectors of IDS (default: all) from the reference.

    A case that is there stays as it is, to the last byte, unless the reference gives something else
    beyond its tolerance: that is an error, as an id always means the same.
    """
    from auditor.conformance import store
    from auditor.conformance.kinds import kinds
    from auditor.conformance.plain import written

    where = folder or store.FOLDER
    # only the kinds that are named, if all are: to tell which algorithms have constants runs them
    named = {identifier.partition("/")[0] for identifier in ids} or kinds().keys()
    asked_kinds = [k for k in kinds().values() if k.name in named or not named <= kinds().keys()]
    known = [(kind.name, of) for kind in asked_kinds for of in kind.names()]
    asked = [one for one in known if _named(ids, *one)]
    _require_all(ids, known)
    with progress_bar("generating:") as advance:
        for done, (kind, of) in enumerate(asked):
            advance(done, len(asked), f"{kind}/{of}")
            try:
                text = store.generated(kind, of, where)
            except store.ChangedCaseError as error:
                raise InputError(str(error)) from None
            path = store.path_of(kind, of, where)
            _write(path, text)
    _write(where / store.PARAMETERS_FILE, store.parameter_table())
    _write(where / store.MANIFEST, f"{written(store.manifest(where))}\n")
    say(f"{len(asked)} files written to {where}")


def _write(path: Path, text: str) -> None:
    """Write a file, and its folder if need be; raise InputError if that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {why_unreadable(error)}") from None


@vectors.command()
@click.argument("ids", nargs=-1)
@folder_option
@debug_option
def verify(ids: tuple[str, ...], folder: Path | None, debug: bool) -> int:
    """Compare the vectors of IDS (default: all) with the reference and their manifest.

    Exit status: 0 all conform, 1 some do not, 2 bad input, 3 internal error.
    """
    from auditor.conformance import store

    where = folder or store.FOLDER
    chosen = list(_chosen(ids, where))
    wrong: list[tuple[str, Difference | str]] = []
    cases = 0
    with progress_bar("verifying:") as advance:
        for done, (name, path) in enumerate(chosen):
            advance(done, len(chosen), name)
            for case in store.read(path):
                cases += 1
                gap = store.wrong(case)
                if gap is not None:
                    wrong.append((case["id"], gap))
    if not ids:
        wrong += [(name, "not what the manifest says") for name in store.not_in_manifest(where)]
    for name, what in wrong:
        messages.print(f"{name}: {what}", markup=False, highlight=False, soft_wrap=True)
    say(f"{cases} cases, {len(wrong)} that do not conform")
    return ExitStatus.UNEXPECTED if wrong else ExitStatus.FINE


def _named(ids: Sequence[str], kind: str, of: str) -> bool:
    return not ids or bool({of, kind, f"{kind}/{of}"} & set(ids))


def _chosen(ids: Sequence[str], folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and path of the files that are asked for, or complain."""
    from auditor.conformance import store

    present = list(store.files(folder))
    asked = [(kind, of, path) for kind, of, path in present if _named(ids, kind, of)]
    if not present:
        raise InputError(f"there are no vectors in {folder}")
    _require_all(ids, [(kind, of) for kind, of, _ in present])
    for kind, of, path in asked:
        yield f"{kind}/{of}", path


def _require_all(ids: Sequence[str], known: Sequence[tuple[str, str]]) -> None:
    for identifier in ids:
        if not any(_named([identifier], *one) for one in known):
            names = sorted({name for pair in known for name in pair})
            raise InputError(
                f"there are no vectors of {identifier!r}{did_you_mean(identifier, names)}"
            )

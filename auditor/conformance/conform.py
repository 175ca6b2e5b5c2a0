"""Put conformance vectors to a port: a program in any language, or a Python function."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from auditor.conformance import store
from auditor.conformance.accounting import LOOSE
from auditor.conformance.compare import Difference, difference
from auditor.conformance.injected import InjectedGenerator
from auditor.conformance.kinds import Case
from auditor.conformance.places import place
from auditor.conformance.plain import plain, written
from auditor.core.arguments import require_callable, require_seconds, require_words, shown
from auditor.core.errors import InputError, did_you_mean, one_line, pass_interrupts
from auditor.core.files import CANNOT_BE_READ, parse_json, why_unreadable
from auditor.runs.program import Failed, ProgramProcess

TIMEOUT = 30.0
TRIED = 10
"""Cases, and at least one of every file, that a program may fail to answer; then it is broken."""

PRINTED = "printed"
NOT_IMPLEMENTED: Literal["not implemented"] = "not implemented"
Status = Literal["passed", "failed", "not implemented"]
Ask = Callable[[Case], Any]


@dataclass(frozen=True)
class Outcome:
    """Result of putting one case to a port.

    Attributes
    ----------
    id, kind, of : str
        Of the case.
    status : {"passed", "failed", "not implemented"}
    why : str
        The first field that differs, or how the port failed.
    place : str
        Where the reference computes that field: ``"reference/em/dense_em.py:120"``.
    catches : tuple of str
        The mistakes that the case is known to show.
    errata : tuple of str
        Errata of the sources whose printed form gives the port's result.
    """

    id: str
    kind: str
    of: str
    status: Status
    why: str = ""
    place: str = ""
    catches: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" [{self.place}]" if self.place else ""
        printed = (
            f"; this is what the paper prints: {', '.join(self.errata)}" if self.errata else ""
        )
        return f"{self.id}: {self.status}{': ' if self.why else ''}{self.why}{where}{printed}"


def conform(
    port: Callable[..., Any] | str | Sequence[str],
    *ids: str,
    timeout: float = TIMEOUT,
    folder: str | Path | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Outcome]:
    """Return what a port makes of the vectors.

    Parameters
    ----------
    port : callable, str or sequence of str
        A function ``port(inputs, draws)`` or, where its second parameter is called ``rng``,
        ``port(inputs, rng)``, which returns the result; or a command that starts a program, which
        answers every line of JSON with one (``vectors/README.md``). A function that takes a third
        argument is given the case's ``(kind, of)``; one that raises NotImplementedError has not
        implemented it.
    *ids : str
        Algorithms, mechanisms, kinds, or single cases by their ids. Default: all.
    timeout : float
        Seconds for one case of a program.
    folder : str or Path, optional
        Of the vectors. Default: those that come with this package.
    progress : callable, optional
        ``progress(done, total, id)``.

    Returns
    -------
    list of Outcome

    Raises
    ------
    InputError
        If there are no such vectors, or the program cannot be started.
    """
    require_seconds("timeout", timeout, optional=False)
    require_callable("progress", progress, "progress(done, total, id)")
    for identifier in ids:
        if not isinstance(identifier, str):
            raise InputError(f"an id must be a text, got {shown(identifier)}")
    if folder is not None and not isinstance(folder, (str, Path)):
        raise InputError(f"folder must be the path of a folder, got {shown(folder)}")
    where = store.FOLDER if folder is None else Path(folder)
    asked = _asking(port, timeout)
    cases = list(chosen_cases(ids, where))
    # to find the line at fault, the reference runs on the case: on our own only
    find = place if where.resolve() == store.FOLDER.resolve() else _no_place
    outcomes: dict[str, Outcome] = {}
    try:
        first, others = _some_of_every_file(cases)
        for case in first + others:
            if progress is not None:
                progress(len(outcomes), len(cases), case["id"])
            broken = len(outcomes) >= len(first) and not asked.answered()
            outcomes[case["id"]] = _not_asked(case) if broken else judged(case, asked.ask, find)
    finally:
        asked.close()
    return [outcomes[case["id"]] for case in cases]


def _some_of_every_file(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Return the first case of every file of vectors, with others up to :data:`TRIED`; the rest."""
    by_file = {(case["kind"], case["of"]): case["id"] for case in reversed(cases)}
    ids = set(by_file.values())
    first = [case for case in cases if case["id"] in ids]
    others = [case for case in cases if case["id"] not in ids]
    more = max(0, TRIED - len(first))
    return first + others[:more], others[more:]


def _not_asked(case: Case) -> Outcome:
    why = "it was not asked: the program had answered none of the cases before"
    return Outcome(case["id"], case["kind"], case["of"], "failed", why)


def chosen_cases(ids: Iterable[str], folder: Path) -> Iterator[Case]:
    """Yield the cases that are asked for.

    Raises
    ------
    InputError
        If there are none, or a file of the folder is not what its manifest lists.
    """
    store.require_listed(folder)
    wanted = set(ids)
    chosen = list(_read(folder, wanted))
    if not chosen and not any(_read(folder, set())):
        raise InputError(f"there are no vectors in {folder}")
    for identifier in sorted(wanted - _names(chosen)):
        meant = did_you_mean(identifier, _names(_read(folder, set())))
        raise InputError(f"there are no vectors of {identifier!r}{meant}")
    for kind, of, case in chosen:
        if not wanted or wanted & {kind, of, f"{kind}/{of}", case["id"]}:
            yield case


def _read(folder: Path, wanted: set[str]) -> Iterator[tuple[str, str, Case]]:
    """Yield the cases of the files that may have what is wanted; of all files if nothing is."""
    for kind, of, path in store.files(folder):
        # an id is "kind/of/name/version"
        if not wanted or any(
            name in (kind, of) or f"{name}/".startswith(f"{kind}/{of}/") for name in wanted
        ):
            for case in store.read(path):
                yield kind, of, case


def _names(cases: Iterable[tuple[str, str, Case]]) -> set[str]:
    return {name for kind, of, case in cases for name in (kind, of, f"{kind}/{of}", case["id"])}


def request(case: Case) -> dict[str, Any]:
    """Return what a port is told of a case: everything but what it must compute."""
    told = {key: case[key] for key in ("id", "kind", "of", "inputs")}
    if case["kind"] == PRINTED:  # a port is not told that it is a trap
        told["kind"] = "algorithms"
    if "steps" in case:
        told["draws"] = [step["draw"] for step in case["steps"]]
    return told


def _no_place(case: Case, where: str) -> str:
    del case, where
    return ""


class PortRefusal(InputError):
    """A port answered that it does not take a case's inputs or draws."""


def judged(case: Case, ask: Ask, find: Callable[[Case, str], str] = place) -> Outcome:
    """Return what becomes of a case; ``find`` says where the reference computes a field of it."""
    failed = Outcome(case["id"], case["kind"], case["of"], "failed")
    trap = case["kind"] == PRINTED
    try:
        answer = ask(case)
    except NotImplementedError:
        return replace(failed, status=NOT_IMPLEMENTED)
    except PortRefusal as error:  # as it may where the print alone takes such draws
        return replace(failed, status="passed") if trap else replace(failed, why=str(error))
    except (Failed, InputError) as error:  # it ended, or wrote something that is no answer
        return replace(failed, why=str(error))
    if not isinstance(answer, Mapping) or not {"result", NOT_IMPLEMENTED} & set(answer):
        return replace(failed, why=f'the answer has no "result": {_shortly(answer)}')
    if NOT_IMPLEMENTED in answer:
        return replace(failed, status=NOT_IMPLEMENTED)
    gap = gap_of(case, answer)
    if trap and gap is None:
        return replace(failed, why="it gives what the paper prints", errata=tuple(case["errata"]))
    if trap or gap is None:
        return replace(failed, status="passed")
    return replace(
        failed,
        why=str(gap),
        place=find(case, gap.where),
        catches=tuple(found["twin"] for found in case["catches"]),
        errata=_as_printed(case, answer),
    )


def gap_of(case: Case, answer: Mapping[str, Any]) -> Difference | None:
    """Return the first difference: of the steps that the answer tells of, then of the result."""
    tolerance = case["tolerance"]["relative"]
    steps = answer.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        return Difference("steps", "a list of objects", _shortly(steps))
    for index, (expected, found) in enumerate(zip(case.get("steps", []), steps, strict=False)):
        told = {key: item for key, item in expected.items() if key in found and key != "draw"}
        gap = difference(told, found, tolerance=tolerance, where=f"steps[{index}]")
        if gap is not None:
            return gap
    if (case["kind"], case["of"]) == ("accounting", "tight") and isinstance(case["result"], dict):
        return _outside(case["result"], answer["result"], tolerance)
    return difference(case["result"], answer["result"], tolerance=tolerance)


def _outside(bounds: Mapping[str, float], found: Any, tolerance: float) -> Difference | None:
    """Return how a number is below the truth, or far above it."""
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        return Difference("result", "a number", _shortly(found))
    if not bounds["lower"] * (1 - tolerance) <= found:
        return Difference("result", f"at least {bounds['lower']!r}, the truth", found)
    if found > LOOSE * bounds["upper"]:
        return Difference("result", f"at most {LOOSE:g} times {bounds['upper']!r}", found)
    return None


def _as_printed(case: Case, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the errata of the printed forms whose wrong fields a port's result has.

    The other fields of the result are right: a port may follow the print in one of them only.
    """
    right, found = _fields(case["result"]), _fields(answer["result"])
    tolerance = case["tolerance"]["relative"]

    def differ(one: Any, other: Any) -> bool:
        return difference(one, other, tolerance=tolerance) is not None

    wrong = [name for name in right if name not in found or differ(right[name], found[name])]
    return tuple(
        name
        for printed in case.get("as_printed", [])
        for fields in [_fields(printed["result"])]
        if wrong
        and all(f in found and f in fields and not differ(fields[f], found[f]) for f in wrong)
        for name in printed["errata"]
    )


def _fields(result: Any) -> Mapping[str, Any]:
    """Return the fields of a result; one that has none is a field."""
    return result if isinstance(result, Mapping) else {"": result}


def _shortly(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


class _Asked(NamedTuple):
    """A port that is asked: ``answered()`` says whether it ever answered anything at all."""

    ask: Ask
    close: Callable[[], None]
    answered: Callable[[], bool]


def _asking(port: Callable[..., Any] | str | Sequence[str], timeout: float) -> _Asked:
    if callable(port):
        return _Asked(_function(port), lambda: None, lambda: True)
    arguments = require_words("port", port, words="a function or a command")
    if not arguments or shutil.which(arguments[0]) is None:
        raise InputError(f"the program {' '.join(arguments[:1])!r} cannot be started")
    program = ProgramProcess(arguments)
    answers = 0

    def ask(case: Case) -> Any:
        nonlocal answers
        line = json.dumps(request(case), separators=(",", ":"), allow_nan=False)
        try:
            answered = program.ask(f"{line}\n".encode(), timeout)
        except InputError:
            answers += 1
            program.stop()  # what else it wrote belongs to no other case
            raise
        answers += 1
        found = _parsed(answered)
        if isinstance(found, Mapping) and "error" in found:
            raise PortRefusal(f"it says: {_shortly(found['error'])}")
        return found

    return _Asked(ask, program.close, lambda: answers > 0)


def _parsed(answered: bytes) -> Any:
    try:
        return parse_json(answered)
    except CANNOT_BE_READ as error:
        shown = _shortly(answered[:100].decode(errors="replace"))
        raise InputError(f"the answer is not JSON ({why_unreadable(error)}): {shown}") from None


def _function(port: Callable[..., Any]) -> Ask:
    parameters = list(inspect.signature(port).parameters)
    if len(parameters) not in (2, 3):
        raise InputError(
            "a port is called as port(inputs, draws) or port(inputs, rng), with (kind, of) as a "
            f"third argument if it takes one; this one takes {len(parameters)}"
        )

    def ask(case: Case) -> Any:
        told = request(case)
        draws = told.get("draws", [])
        injected = InjectedGenerator(draws) if parameters[1] == "rng" else None
        arguments = [told["inputs"], draws if injected is None else injected]
        if len(parameters) == 3:
            arguments.append((told["kind"], case["of"]))
        try:
            result = port(*arguments)
            if injected is not None:
                injected.require_used()
        except NotImplementedError:
            raise
        except BaseException as error:
            pass_interrupts(error)
            raise PortRefusal(f"it raised {one_line(error)}") from error
        complete = isinstance(result, Mapping) and "result" in result
        try:
            text = written(plain(result if complete else {"result": result}))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"its answer cannot be written as JSON: {one_line(error)}") from None
        return _parsed(text.encode(errors="surrogatepass"))

    return ask


def counts(outcomes: Sequence[Outcome]) -> dict[tuple[str, str], dict[str, int]]:
    """Return by kind and name how many cases passed, failed and are not implemented."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for outcome in outcomes:
        row = found.setdefault(
            (outcome.kind, outcome.of), {"passed": 0, "failed": 0, NOT_IMPLEMENTED: 0}
        )
        row[outcome.status] += 1
    return found

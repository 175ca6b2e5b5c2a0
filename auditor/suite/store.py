"""Results on disk: one JSON file per algorithm, written atomically and checked on load.

Every verdict is stored with its key, a hash of the code and the configuration that it depends on
(:mod:`auditor.suite.keys`). An interrupted audit therefore resumes, and after a change only the
questions that depend on it are run again. A file also carries a hash of its content: one that was
edited is no result.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

from auditor.core.context import Context, LedgerKind, Tier
from auditor.core.errors import InputError, one_line
from auditor.core.files import CANNOT_BE_READ, read_json, why_unreadable
from auditor.core.input_limits import CONFIDENCE
from auditor.core.verdict import Verdict, jsonable

try:
    import fcntl
except ImportError:  # not a Unix system: two audits in one folder are then not told apart
    fcntl = None  # type: ignore[assignment]

FORMAT = "touchstone-result/3"
TEMPLATES = Path(__file__).parents[1] / "templates"

ERROR = "error"
"""A verdict whose question failed carries the error under this key of its evidence."""


def failed(question: str, error: BaseException) -> Verdict:
    """Return the verdict of a question that failed."""
    return Verdict(
        question,
        "inconclusive",
        f"the audit itself failed with {one_line(error)}; --debug shows where",
        evidence={ERROR: one_line(error)},
    )


@dataclass(frozen=True)
class Settings:
    """Configuration of an audit.

    Parameters
    ----------
    tier : {"quick", "full"}
    seed : int
    confidence : float
        Of every algorithm by itself, in (0, 1): its corrected forms together are called violated
        by chance with probability at most 1 - confidence, and so is each printed form where it
        meets its claim.
    ledger : {"numpy", "exact"}
        The source of the noise of runs.
    """

    tier: Tier = "quick"
    seed: int = 0
    confidence: float = CONFIDENCE
    ledger: LedgerKind = "numpy"

    def context(self, tests: int) -> Context:
        """Return the context of a family of ``tests`` statistical tests."""
        return Context(
            seed=self.seed,
            tier=self.tier,
            confidence=self.confidence,
            tests=tests,
            ledger=self.ledger,
        )


@dataclass(frozen=True)
class FormResult:
    """The answers about one form.

    Attributes
    ----------
    claim : str
        The guarantee that was audited.
    epsilon, delta : float or None
        The claim as an (epsilon, delta) pair, where it is one.
    design : str or None
        The intermediate guarantee by which the noise was calibrated.
    parameters : mapping
    expected : mapping
        question -> names of the errata that must show as violations.
    tests : int
        Number of statistical tests that share the error probability of the form's family.
    verdicts : mapping
        question -> :class:`~auditor.core.verdict.Verdict`, as the question answered.
    keys : mapping
        question -> key of its verdict.
    """

    claim: str
    epsilon: float | None
    delta: float | None
    design: str | None
    parameters: Mapping[str, Any]
    expected: Mapping[str, tuple[str, ...]]
    tests: int
    verdicts: Mapping[str, Verdict]
    keys: Mapping[str, str]


@dataclass(frozen=True)
class Result:
    """Everything one audit found about one algorithm: the content of a results file."""

    id: str
    settings: Settings
    forms: Mapping[str, FormResult]

    def to_json(self) -> dict[str, Any]:
        """Return the documented JSON object of a results file."""
        content: dict[str, Any] = {
            "format": FORMAT,
            "id": self.id,
            "settings": asdict(self.settings),
            "forms": {
                name: {
                    "claim": form.claim,
                    "epsilon": jsonable(form.epsilon),
                    "delta": jsonable(form.delta),
                    "design": form.design,
                    "parameters": jsonable(form.parameters),
                    "expected": jsonable(form.expected),
                    "tests": form.tests,
                    "verdicts": {q: v.to_json() for q, v in form.verdicts.items()},
                    "keys": dict(form.keys),
                }
                for name, form in self.forms.items()
            },
        }
        return {**content, "hash": _hash(content)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Result:
        """Return a result from its JSON object, after checking the JSON Schema and the hash.

        Raises
        ------
        jsonschema.ValidationError
        ValueError
            If the content is not that of the hash.
        """
        validate(stored, "result")
        content = {name: value for name, value in stored.items() if name != "hash"}
        if _hash(content) != stored["hash"]:
            raise ValueError("its content is not what was written")
        for name, form in stored["forms"].items():
            asked = {
                question: verdict["question"] for question, verdict in form["verdicts"].items()
            }
            if any(question != own for question, own in asked.items()):
                raise ValueError(
                    f"a verdict of {name} is on another question than it is kept under"
                )
        forms = {
            name: FormResult(
                **{
                    **form,
                    "expected": {q: tuple(numbers) for q, numbers in form["expected"].items()},
                    "verdicts": {q: Verdict.from_json(v) for q, v in form["verdicts"].items()},
                }
            )
            for name, form in stored["forms"].items()
        }
        return cls(stored["id"], Settings(**stored["settings"]), forms)


def _hash(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(dump(content).encode()).hexdigest()


class BrokenResultError(InputError):
    """A results file that cannot be read.

    Attributes
    ----------
    path : Path
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"{path} is not a readable result ({reason}); run `touchstone audit {path.stem}` to "
            "redo it (the broken file is kept beside it)"
        )
        self.path = path


class Store:
    """The results folder.

    Parameters
    ----------
    folder : Path
        Created on the first write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def require_writable(self) -> None:
        """Create the folder and try to write to it; raise InputError if that fails."""
        self.write_text(".touchstone", "")
        (self.folder / ".touchstone").unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other audits out of the folder; the lock ends with the process, however it ends.

        Raises
        ------
        InputError
            If another audit has it.
        """
        self._make_folder(self.folder)
        descriptor = None if fcntl is None else os.open(self.folder, os.O_RDONLY)
        try:
            if descriptor is not None:
                # a file system without locks is no reason to refuse
                with suppress(OSError):
                    _lock(descriptor, self.folder)
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def write_text(self, name: str, text: str) -> Path:
        """Write a file of the folder atomically: a reader sees the old content or the new.

        Raises
        ------
        InputError
            If it cannot be written; nothing is left of it then.
        """
        path = self.folder / name
        self._make_folder(path.parent)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with open(temporary, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError as error:
            raise _unwritable(path, error) from None
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return path

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from None

    def write_json(self, name: str, content: Any) -> Path:
        """Write JSON atomically."""
        return self.write_text(name, dump(content))

    def read_json(self, name: str, schema_name: str) -> Any | None:
        """Return the content of a JSON file of the folder, or None if there is none.

        Raises
        ------
        InputError
            If it cannot be read or does not meet the schema; the line says which file.
        """
        path = self.folder / name
        try:
            content = read_json(path)
            validate(content, schema_name)
        except FileNotFoundError:
            return None
        except jsonschema.ValidationError as error:
            reason = f"{error.json_path}: {error.message[:100]}"
        except CANNOT_BE_READ as error:
            reason = why_unreadable(error)
        else:
            return content
        raise InputError(f"{path} is broken ({reason}); move it away")

    def read_beside(self, name: str, schema_name: str, warn: Callable[[str], None]) -> Any | None:
        """Return the content of a JSON file that an audit can do without, or None.

        Parameters
        ----------
        name, schema_name : str
            As of :meth:`read_json`.
        warn : callable
            Called with one line if the file is broken; it is then set aside.
        """
        try:
            return self.read_json(name, schema_name)
        except InputError:
            path = self.folder / name
            warn(f"{path} is broken; kept as {self.set_aside(path).name}")
            return None

    # ------------------------------------------------------------------------- results

    def load(self, identifier: str) -> Result | None:
        """Return the latest result of an algorithm, or None if it has none.

        Raises
        ------
        BrokenResultError
            If the file is not valid JSON or does not meet the schema.
        """
        return read_result(self.folder / f"{identifier}.json")

    def verdicts(self, identifier: str) -> dict[str, Verdict]:
        """Return every stored verdict on an algorithm by its key, earlier configurations' too.

        Raises
        ------
        BrokenResultError
            If the latest result is broken; a broken earlier one is passed over.
        """
        latest = self.load(identifier)
        results = [] if latest is None else [latest]
        for path in sorted((self.folder / "earlier").glob(f"{identifier}.*.json")):
            try:
                earlier = read_result(path)
            except BrokenResultError:
                continue
            if earlier is not None and earlier.id == identifier:
                results.append(earlier)
        return {
            form.keys[question]: verdict
            for result in reversed(results)
            for form in result.forms.values()
            for question, verdict in form.verdicts.items()
            if question in form.keys
        }

    def load_all(self, identifiers: Iterable[str]) -> dict[str, Result]:
        """Return the latest results of algorithms by id; other files of the folder are not read.

        Raises
        ------
        BrokenResultError
        """
        results = {identifier: self.load(identifier) for identifier in identifiers}
        return {identifier: result for identifier, result in results.items() if result is not None}

    def others(self, identifiers: Container[str]) -> list[str]:
        """Return the ids of the results in the folder that are of none of these algorithms."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            if path.stem not in identifiers:
                with suppress(BrokenResultError):
                    read_result(path)
                    found.append(path.stem)
        return found

    def save(self, result: Result) -> Path:
        """Write a result; one of another configuration is moved to the folder ``earlier``."""
        name = f"{result.id}.json"
        try:
            previous = self.load(result.id)
        except BrokenResultError as error:
            self.set_aside(error.path)
            previous = None
        if previous is not None and previous.settings != result.settings:
            settings = previous.settings
            label = f"{settings.tier}-{settings.seed}-{settings.confidence:g}"
            self.write_json(f"earlier/{result.id}.{label}.json", previous.to_json())
        return self.write_json(name, result.to_json())

    def set_aside(self, path: Path) -> Path:
        """Rename a broken file so that nothing is lost; return its new path."""
        target = path.with_name(f"{path.name}.broken")
        count = 1
        while target.exists():
            count += 1
            target = path.with_name(f"{path.name}.broken-{count}")
        path.rename(target)
        return target


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot write {path} ({error.strerror or error}); finished work is kept: make room, or "
        "choose another folder with --results, and run the same command"
    )


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"another run is writing to {folder}; wait until it ends, or choose another folder "
            "with --results"
        ) from None


def read_format(path: Path) -> str | None:
    """Return what a JSON file of ours says it is; None if it says nothing.

    Raises
    ------
    InputError
        If it is no JSON file.
    """
    try:
        content = read_json(path)
    except CANNOT_BE_READ as error:
        raise InputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    return content.get("format") if isinstance(content, dict) else None


def read_result(path: Path) -> Result | None:
    """Return the result in a file, or None if there is no such file.

    Raises
    ------
    BrokenResultError
    """
    try:
        stored = read_json(path)
        result = Result.from_json(stored)
    except FileNotFoundError:
        return None
    except jsonschema.ValidationError as error:
        raise BrokenResultError(path, f"{error.json_path}: {error.message[:100]}") from None
    except (*CANNOT_BE_READ, TypeError) as error:
        raise BrokenResultError(path, why_unreadable(error)) from None
    if path.parent.name != "earlier" and path.stem != result.id:
        raise BrokenResultError(path, f"it is about {result.id}")
    return result


def dump(content: Any) -> str:
    """Return JSON text that depends only on the content."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def validate(content: Any, name: str) -> None:
    """Check content against a JSON Schema.

    Parameters
    ----------
    content : Any
        JSON types.
    name : str
        Of ``auditor/templates/NAME.schema.json``, such as ``"result"``.

    Raises
    ------
    jsonschema.ValidationError
    """
    error = best_match(_validator(name).iter_errors(content))
    if error is not None:
        raise error


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of a schema, which is itself checked only once."""
    schema = json.loads((TEMPLATES / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    registry: Registry[Any] = Registry(retrieve=_template)  # type: ignore[call-arg]
    return jsonschema.Draft202012Validator(schema, registry=registry)


def _template(name: str) -> Resource[Any]:
    """Return the schema that another one refers to."""
    return Resource.from_contents(json.loads((TEMPLATES / name).read_text(encoding="utf-8")))

"""A pytest plugin: tests that are mechanisms, and an assertion that a mechanism is private.

A test marked ``private`` is a mechanism. It is given ``data`` and ``rng`` (or ``ledger``; with
``batched=True`` also ``size``) by this plugin and everything else by fixtures, and returns its
output::

    @pytest.mark.private(epsilon=1.0, pair=(D, D2))
    def test_noisy_mean(data, rng):
        return np.clip(data, 0, 1).mean() + rng.laplace(scale=1 / len(data))

The marker takes the keywords of :func:`auditor.check`, and ``allow_inconclusive=True``. Marks of a
module, a class and a function add up, and so do those of parameters (``pytest.param(...,
marks=...)``) of a marked function; the innermost value of a keyword counts.

The fixture ``assert_private``, which can also be imported from here, checks any mechanism::

    def test_noisy_mean(assert_private):
        assert_private(noisy_mean, pair=(D, D2), epsilon=1.0)

A test marked ``scaling`` is an error, (rng, n) or (rng, ledger, n), whose rate is checked; the
marker takes the keywords of :func:`auditor.check_scaling`, and ``allow_inconclusive``::

    @pytest.mark.scaling(along="n", values=[100, 200, 400, 800], claim=-0.5)
    def test_rate(rng, n):
        return abs(rng.normal(size=n).mean())

The seed, the number of samples and the time limit come from the command line (``--private-seed``,
``--private-samples``, ``--private-timeout``), else from the test, else from the ini file
(``private_seed``, ``private_samples``, ``private_timeout``), else they are those of
:func:`auditor.check`: a test does the same every time, unless a time limit ends it.

With ``--private-changed`` a marked test that passed is run again only when the code that it
depends on has changed (:mod:`auditor.suite.keys`), the options of the session, or a version; until
then it passes with what was said of it. What it reads from files or the environment does not count.

This module is loaded whenever pytest starts, so it loads nothing but pytest by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from auditor.pytest_plugin.kept import SAID, keep, key_of, passed_before, say
from auditor.pytest_plugin.mechanism import MarkedMechanism, fixtures_of, not_a_mechanism

if TYPE_CHECKING:
    from auditor.checking.rate import ScalingResult
    from auditor.checking.result import CheckResult
    from auditor.suite.keys import Sources

MARKER = (
    "private(epsilon, delta, pair, *, allow_inconclusive=False, **options): the test is a "
    "mechanism (data, rng) -> output whose privacy claim is checked; options are those of "
    "auditor.check"
)
SCALING_MARKER = (
    "scaling(along, values, claim, *, allow_inconclusive=False, **options): the test is an error "
    "(rng, value) -> number whose rate is checked; options are those of auditor.check_scaling"
)
OPTIONS: dict[str, tuple[type, str, str]] = {
    "seed": (int, "N", "seed of all privacy checks"),
    "samples": (int, "N", "budget of runs on each data set of all privacy checks"),
    "timeout": (float, "SECONDS", "time limit of every privacy check"),
}
"""Type, metavar and meaning of what a pytest session can set."""
_TAKES = "_touchstone_takes"
"""Attribute of a marked function: the arguments that this plugin gives it."""


@dataclass
class _Settings:
    """Options of :func:`auditor.check` that a pytest session sets."""

    defaults: dict[str, float] = field(default_factory=dict)
    overrides: dict[str, float] = field(default_factory=dict)
    own_failures: int = 0
    """Tests that failed because a check did, and not the mechanism."""
    passed: list[tuple[str, float]] = field(default_factory=list)
    """Subject of every marked test that passed, and the excess that it would have noticed."""
    kept: int = 0
    """Marked tests that passed because they had passed before, with the same code."""
    sources: Sources | None = None
    """Code that marked tests depend on, as far as it was read."""


_sessions: list[_Settings] = []
"""Settings of the running session, and of any it runs in (pytest can run pytest)."""


# ------------------------------------------------------------------------------- the assertion


def assert_private(
    mechanism: Callable[..., Any], *, allow_inconclusive: bool = False, **options: Any
) -> CheckResult:
    """Check a mechanism's privacy claim; fail with a witness if it is violated.

    Parameters
    ----------
    mechanism : callable
        As for :func:`auditor.check`.
    allow_inconclusive : bool
        Whether a check that could not have refuted the claim passes.
    **options
        The keywords of :func:`auditor.check`: ``pair`` or ``domain``, ``epsilon`` and ``delta``
        or ``claim``, ``samples``, ...

    Returns
    -------
    CheckResult
        For further assertions.

    Raises
    ------
    AssertionError
        If the claim is violated, or nothing can be said.
    InputError
        If the options make no sense, or the mechanism does not run.
    """
    __tracebackhide__ = True
    result, used = _checked(mechanism, options)
    if _passes(result, allow_inconclusive):
        return result
    again = f"again: assert_private(..., seed={used['seed']}, samples={result.budget})"
    from auditor.pytest_plugin.messages import message

    raise AssertionError(message(_name(mechanism), result, used, again))


@pytest.fixture(name="assert_private")
def _assert_private() -> Callable[..., CheckResult]:
    """Check a mechanism's privacy claim: assert_private(mechanism, pair=(D, D2), epsilon=1.0)."""
    return assert_private


def _checked(
    mechanism: Callable[..., Any], options: Mapping[str, Any]
) -> tuple[CheckResult, dict[str, Any]]:
    """Return the result of a check, and all keywords with which it was made."""
    import auditor
    from auditor.core.errors import InputError, InternalError, one_line

    known = inspect.signature(auditor.check).parameters
    for name in options:
        if name not in known or name == "mechanism":
            raise InputError(
                f"unknown option {name!r}; known: allow_inconclusive, "
                + ", ".join(other for other in known if other != "mechanism")
            )
    settings = _sessions[-1] if _sessions else _Settings()
    used = {**settings.defaults, **options, **settings.overrides}
    try:
        result = auditor.check(mechanism, **used)
    except InputError:
        raise
    except Exception as error:
        raise InternalError(f"the check itself failed with {one_line(error)}") from error
    return result, {"seed": known["seed"].default, **used}


def _passes(result: CheckResult | ScalingResult, allow_inconclusive: bool) -> bool:
    return result.status == "holds" or (result.status == "inconclusive" and allow_inconclusive)


def _name(mechanism: Callable[..., Any]) -> str:
    return getattr(mechanism, "__name__", type(mechanism).__name__)


# ------------------------------------------------------------------------- pytest: the settings


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line and ini options."""
    group = parser.getgroup("private", "privacy checks (touchstone)")
    for name, (kind, metavar, words) in OPTIONS.items():
        group.addoption(
            f"--private-{name}", type=kind, metavar=metavar, help=f"{words}, whatever the tests say"
        )
        parser.addini(f"private_{name}", f"{words} that do not say themselves")
    group.addoption(
        "--private-changed",
        action="store_true",
        help="a marked test that passed is not run again while its code is the same",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and read the options."""
    for marker in (MARKER, SCALING_MARKER):
        config.addinivalue_line("markers", marker)
    settings = _Settings()
    for name, (kind, _, _) in OPTIONS.items():
        override, default = config.getoption(f"private_{name}"), config.getini(f"private_{name}")
        if override is not None:
            settings.overrides[name] = override
        if default:
            try:
                settings.defaults[name] = kind(default)
            except ValueError:
                number = "a whole number" if kind is int else "a number"
                raise pytest.UsageError(
                    f"private_{name} must be {number}, got {default!r}"
                ) from None
    if config.getoption("private_changed") and not config.pluginmanager.has_plugin("cacheprovider"):
        raise pytest.UsageError(
            "--private-changed keeps what passed in pytest's cache, which is switched off here"
        )
    _sessions.append(settings)


def pytest_unconfigure() -> None:
    """Forget the options."""
    if _sessions:
        _sessions.pop()


# --------------------------------------------------------------------- pytest: the exit status

_OWN_FAILURE = ("touchstone", "internal error")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Mark the report of a test in which a check itself failed."""
    if call.excinfo is None:
        return
    from auditor.core.errors import InternalError

    if isinstance(call.excinfo.value, InternalError):
        item.user_properties.append(_OWN_FAILURE)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the tests in which a check itself failed, those of other processes, too."""
    if not _sessions or report.when != "call":
        return
    properties = dict(report.user_properties)
    _sessions[-1].own_failures += _OWN_FAILURE in properties.items()
    if report.passed and SAID + "noticeable" in properties:
        kind = "rate" if SAID + "slope" in properties else "privacy"
        _sessions[-1].passed.append((kind, float(str(properties[SAID + "noticeable"]))))
        _sessions[-1].kept += SAID + "kept" in properties


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many marked tests passed, and what the bluntest of them would have noticed."""
    passed = _sessions[-1].passed if _sessions else []
    if not passed:
        return
    worst = {kind: max(found for k, found in passed if k == kind) for kind in dict(passed)}
    parts = []
    if "privacy" in worst:
        share = worst["privacy"]
        parts.append(
            "no excess over a claim of privacy below twice"
            if share == float("inf")
            else f"{100 * share:g}% over a claim of privacy"
        )
    if "rate" in worst:
        short = worst["rate"]
        parts.append(
            "no rate up to 1 short" if short == float("inf") else f"a rate {short:g} short"
        )
    noun = "check" if len(passed) == 1 else "checks"
    kept = _sessions[-1].kept
    unchanged = f" ({kept} before, unchanged since)" if kept else ""
    terminalreporter.write_line(
        f"touchstone: {len(passed)} {noun} passed{unchanged}; what each would have noticed, at "
        f"worst: {', '.join(parts)}"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End with pytest's status of an internal error if nothing else has failed."""
    if _sessions and 0 < _sessions[-1].own_failures == session.testsfailed:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


# ------------------------------------------------------------------------ pytest: marked tests


_EXAMPLES = {"private": "private(epsilon=1.0)", "scaling": 'scaling(along="n", ...)'}


def _options(marks: list[pytest.Mark]) -> dict[str, Any]:
    """Return the keywords of marks, outermost first."""
    options: dict[str, Any] = {}
    for mark in marks:
        if mark.args:
            example = _EXAMPLES[mark.name]
            raise pytest.UsageError(
                f"{mark.name} takes keywords only, as in {example}, got {mark.args[0]!r}"
            )
        options.update(mark.kwargs)
    return options


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> None:
    """Keep the arguments that the plugin gives a marked test from being taken for fixtures.

    pytest asks a function's ``__signature__`` for the fixtures that it needs.
    """
    if not inspect.isroutine(obj) or not collector.istestfunction(obj, name):
        return
    function: Any = getattr(obj, "__func__", obj)
    if hasattr(function, _TAKES):
        return
    own = getattr(obj, "pytestmark", [])
    ours: list[str] = []
    for kind in _EXAMPLES:
        innermost = [mark for mark in own if mark.name == kind]
        marks = [*reversed(list(collector.iter_markers(kind))), *reversed(innermost)]
        if marks:
            ours += _given(kind, _options(marks))
    if not ours:
        return
    signature = inspect.signature(function)
    kept = [p for p in signature.parameters.values() if p.name not in ours]
    setattr(function, _TAKES, tuple(n for n in signature.parameters if n in ours))
    function.__signature__ = signature.replace(parameters=kept)


def _given(kind: str, options: Mapping[str, Any]) -> list[str]:
    """Return the arguments that this plugin gives a test of this mark."""
    if kind == "scaling":
        return ["rng", "ledger", str(options.get("along", ""))]
    return ["data", "rng", "ledger"] + ["size"] * bool(options.get("batched"))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Check a marked test instead of calling it."""
    found = {kind: _marks(pyfuncitem, kind) for kind in _EXAMPLES}
    kinds = [kind for kind, marks in found.items() if marks]
    if not kinds:
        return None
    if len(kinds) > 1:
        pytest.fail(f"{pyfuncitem.name} is marked {' and '.join(kinds)}; it is one", pytrace=False)
    options = _options(found[kinds[0]])
    key = _key(pyfuncitem) if pyfuncitem.config.getoption("private_changed") else ""
    if key and passed_before(pyfuncitem, key):
        return True
    failure = (_scaling_failure if kinds == ["scaling"] else _failure)(pyfuncitem, options)
    if failure is not None:
        pytest.fail(failure, pytrace=False)
    if key:
        keep(pyfuncitem, key)
    return True


def _key(item: pytest.Function) -> str:
    from auditor.suite.keys import Sources

    settings = _sessions[-1]
    settings.sources = settings.sources or Sources()
    return key_of(item, settings.sources, [settings.defaults, settings.overrides])


def _marks(item: pytest.Function, kind: str) -> list[pytest.Mark]:
    """Return the marks of a kind, outermost first."""
    marks = list(reversed(list(item.iter_markers(kind))))
    # pytest sorts the marks of a parameter like those of its function: they count last here
    inner = [mark for mark in _parameter_marks(item) if mark.name == kind]
    return [*(mark for mark in marks if mark not in inner), *inner]


def _parameter_marks(item: pytest.Function) -> list[pytest.Mark]:
    call = getattr(item, "callspec", None)
    return [] if call is None else [mark for mark in call.marks if isinstance(mark, pytest.Mark)]


def _failure(item: pytest.Function, options: dict[str, Any]) -> str | None:
    """Return why a marked test fails, if it does."""
    from auditor.core.errors import InputError

    function = item.obj
    takes: tuple[str, ...] = getattr(function, _TAKES, ())
    wrong = not_a_mechanism(function, takes)
    if wrong is not None:
        return f"{item.name} is marked private, but {wrong}"
    mechanism = MarkedMechanism(function, takes, fixtures_of(item))
    allow_inconclusive = bool(options.pop("allow_inconclusive", False))
    try:
        result, used = _checked(mechanism.takes_what_it_needs(), options)
    except InputError as error:
        return f"{item.name} cannot be checked: {error}"
    say(
        item,
        status=result.status,
        certified=result.bounds(),
        noticeable=result.noticeable,
    )
    if mechanism.returns_nothing(result):
        return (
            f"{item.name} is marked private, but returns nothing that varies; it must return the "
            "output of the mechanism"
        )
    if _passes(result, allow_inconclusive):
        return None
    again = (
        f"again: pytest '{item.nodeid}' --private-seed={used['seed']} "
        f"--private-samples={result.budget}"
    )
    from auditor.pytest_plugin.messages import message

    return message(item.name, result, used, again)


def _scaling_failure(item: pytest.Function, options: dict[str, Any]) -> str | None:
    """Return why a test fails that is marked as an error, if it does."""
    import auditor
    from auditor.core.errors import InputError, InternalError, one_line

    function, fixtures = item.obj, fixtures_of(item)
    takes: tuple[str, ...] = getattr(function, _TAKES, ())
    settings = _sessions[-1] if _sessions else _Settings()
    seed = {k: v for k, v in settings.overrides.items() if k == "seed"}
    along = str(options.get("along", ""))
    if "rng" not in takes or along not in takes:
        return f"{item.name} is marked scaling, but takes no 'rng' or no {along or 'along'!r}"

    def error(rng: Any, ledger: Any, value: Any) -> Any:
        given = {"rng": rng, "ledger": ledger, along: value}
        return function(**{name: given[name] for name in takes}, **fixtures)

    allow_inconclusive = bool(options.pop("allow_inconclusive", False))
    unknown = sorted(options.keys() - inspect.signature(auditor.check_scaling).parameters.keys())
    if unknown:
        return f"{item.name} cannot be checked: unknown option {unknown[0]!r}"
    missing = [name for name in ("along", "values", "claim") if name not in options]
    if missing:
        return f"{item.name} cannot be checked: scaling(...) needs {', '.join(missing)}"
    try:
        result = auditor.check_scaling(error, **{**options, **seed})
    except InputError as failure:
        return f"{item.name} cannot be checked: {failure}"
    except Exception as failure:
        raise InternalError(f"the check itself failed with {one_line(failure)}") from failure
    say(item, status=result.status, slope=f"{result.slope:.4g}", noticeable=result.noticeable)
    if _passes(result, allow_inconclusive):
        return None
    return f"{item.name}: {result.status}: {result.summary}"

"""Experiments whose results are kept as each is finished: an interrupted run goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from auditor.core.context import Context
from auditor.experiments.experiment import Experiment, modules, run_all
from auditor.suite.keys import Sources, code
from auditor.suite.store import Store


@dataclass(frozen=True)
class KeptFolder:
    """Results that are kept.

    Attributes
    ----------
    store : Store
        Of experiments alone.
    fresh : bool, default False
        Whether none of them is read: all experiments are run again.
    warn : callable, optional
        Called with one line if a kept result is broken; it is then set aside.
    """

    store: Store
    fresh: bool = False
    warn: Callable[[str], None] = lambda line: None


def run_what_is_missing(
    chosen: Sequence[Experiment],
    context: Context,
    kept: KeptFolder,
    *,
    workers: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> list[dict[str, Any]]:
    """Return what :func:`run_all` does, of which only what is not kept is run.

    A result of a tier and a seed is kept with a hash of its context, of the code that its
    experiment imports and of the versions of the libraries; one with another is run again, and
    replaced.

    Parameters
    ----------
    chosen : sequence of Experiment
    context : Context
    kept : KeptFolder
    workers : int, default 1
        Processes that run.
    progress : callable, optional
        Called with the number of results that there are.

    Raises
    ------
    InputError
        If the folder cannot be written, or another run is writing to it.
    """
    keys = _keys(chosen, context)
    with kept.store.locked():
        found = {} if kept.fresh else _found(keys, context, kept)
        before = len(found)

        def keep(result: Mapping[str, Any]) -> None:
            kept.store.write_json(
                _file(result["name"], context), {"key": keys[result["name"]], "result": result}
            )

        missing = [one for one in chosen if one.name not in found]
        for result in run_all(
            missing,
            context,
            workers=workers,
            progress=lambda done: progress(before + done),
            finished=keep,
        ):
            found[result["name"]] = result
    return [found[one.name] for one in chosen]


def _keys(chosen: Sequence[Experiment], context: Context) -> dict[str, str]:
    sources = Sources()
    keys = {}
    for one in chosen:
        depends_on = code(sources, modules()[one.name])
        content = json.dumps([one.name, asdict(context), depends_on], sort_keys=True)
        keys[one.name] = hashlib.sha256(content.encode()).hexdigest()
    return keys


def _found(
    keys: Mapping[str, str], context: Context, kept: KeptFolder
) -> dict[str, dict[str, Any]]:
    stored = {
        name: kept.store.read_beside(_file(name, context), "experiment", kept.warn) for name in keys
    }
    return {
        name: content["result"]
        for name, content in stored.items()
        if content is not None and content["key"] == keys[name] and _fits(content["result"], name)
    }


def _fits(result: Mapping[str, Any], name: str) -> bool:
    """Return whether a kept result is of the experiment it is kept for, and can be drawn."""
    panels = result["panels"]
    return (
        result["name"] == name
        and all(
            len(values) == len(panel["x"])
            for panel in panels
            for curve in panel["curves"].values()
            for values in curve.values()
        )
        and all(trend["panel"] < len(panels) for trend in result["trends"])
    )


def _file(name: str, context: Context) -> str:
    return f"{name.lower().replace(' ', '-')}.{context.tier}-{context.seed}.json"

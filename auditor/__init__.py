"""An auditor that tries to prove differentially private algorithms wrong.

To check any mechanism::

    import auditor
    verdict = auditor.check(mechanism, pair=(D, D2), epsilon=1.0)

To audit an algorithm of your own with all questions: what a cases file needs is here as well; how
is in ``docs/how-to/audit-your-own.md``. The names of this module are the public ones; they keep
their meaning, and their modules may change.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

# ruff: isort: off
if TYPE_CHECKING:  # the public names; this is their only list, see PLACES
    from auditor.described.build import (
        along as along,
        averaged as averaged,
        form as form,
        real_data as real_data,
        root_mean_square as root_mean_square,
        without_truncation as without_truncation,
    )
    from auditor.checking.canaries import (
        CanaryMeasurement as CanaryMeasurement,
        measure_canaries as measure_canaries,
    )
    from auditor.checking.engine import (
        check as check,
        check_samples as check_samples,
        measure as measure,
        measure_samples as measure_samples,
    )
    from auditor.checking.independence import check_independence as check_independence
    from auditor.checking.rate import ScalingResult as ScalingResult, check_scaling as check_scaling
    from auditor.checking.rerun import rerun as rerun
    from auditor.checking.result import (
        CheckResult as CheckResult,
        EpsilonsResult as EpsilonsResult,
        IndependenceResult as IndependenceResult,
        Measurement as Measurement,
        Rerun as Rerun,
    )
    from auditor.checking.several_epsilons import check_epsilons as check_epsilons
    from auditor.checking.source import Program as Program
    from auditor.conformance.conform import conform as conform
    from auditor.core.case import (
        BlackBox as BlackBox,
        Case as Case,
        Data as Data,
        ExactQuery as ExactQuery,
        Form as Form,
        RealData as RealData,
        Run as Run,
        Scaling as Scaling,
        Trivial as Trivial,
        Twin as Twin,
    )
    from auditor.core.errors import InputError as InputError
    from auditor.core.mutation import (
        scaled_claim as scaled_claim,
        through as through,
        unreleased as unreleased,
    )
    from auditor.core.neighbours import (
        HUGE as HUGE,
        Ball as Ball,
        Box as Box,
        Choice as Choice,
        Counts as Counts,
        Domain as Domain,
        Everything as Everything,
        Integers as Integers,
        Product as Product,
        Table as Table,
        differ_in_label as differ_in_label,
        n_records as n_records,
        remove_record as remove_record,
        replace_record as replace_record,
    )
    from auditor.core.rates import noise_slope as noise_slope, rate_slope as rate_slope
    from auditor.core.setting import Setting as Setting
    from auditor.described.properties import Property as Property, properties as properties
    from auditor.runs.declaration import Primitive as Primitive
    from auditor.runs.instrument import instrument as instrument
    from reference.catalogue import (
        Entry as Entry,
        Erratum as Erratum,
        Paper as Paper,
        PrintedForm as PrintedForm,
        Source as Source,
        Withdrawn as Withdrawn,
    )
    from reference.privacy.guarantees import (
        ZCDP as ZCDP,
        ApproximateDP as ApproximateDP,
        GaussianDP as GaussianDP,
        Model as Model,
        PureDP as PureDP,
        Relation as Relation,
        RenyiDP as RenyiDP,
    )


def _places() -> dict[str, str]:
    """Read the imports above, which are not run: they take a second."""
    module = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in module.body if isinstance(node, ast.If))
    imports = (node for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}


PLACES = _places()
"""Public name -> module that it is in: loaded when first used."""

__all__ = sorted([*PLACES, "PLACES"])


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

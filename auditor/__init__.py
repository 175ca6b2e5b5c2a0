"""An auditor that tries to prove differentially private algorithms wrong.

To check any mechanism::

    import auditor
    verdict = auditor.check(mechanism, pair=(D, D2), epsilon=1.0)

To audit an algorithm of your own with all questions: what a cases file needs is here as well; how
is in ``docs/how-to/audit-your-own.md``. The names of this module are the public ones; they keep
their meaning, and their modules may change.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.checking.engine import check, check_samples, measure, measure_samples
    from auditor.checking.rate import ScalingResult, check_scaling
    from auditor.checking.rerun import rerun
    from auditor.checking.result import CheckResult, Measurement, Rerun
    from auditor.checking.source import Program
    from auditor.conformance.conform import conform
    from auditor.core.case import (
        BlackBox,
        Case,
        Data,
        ExactQuery,
        Form,
        RealData,
        Run,
        Scaling,
        Trivial,
        Twin,
    )
    from auditor.core.errors import InputError
    from auditor.core.mutation import scaled_claim, through, unreleased
    from auditor.core.neighbours import (
        HUGE,
        Ball,
        Box,
        Choice,
        Counts,
        Domain,
        Everything,
        Integers,
        Product,
        Table,
        differ_in_label,
        n_records,
        remove_record,
        replace_record,
    )
    from auditor.core.rates import noise_slope, rate_slope
    from auditor.core.setting import Setting
    from auditor.described.build import (
        along,
        averaged,
        form,
        real_data,
        root_mean_square,
        without_truncation,
    )
    from auditor.described.properties import properties
    from auditor.runs.declaration import Primitive
    from auditor.runs.instrument import instrument
    from reference.catalogue import Entry, Erratum, Paper, PrintedForm, Source, Withdrawn
    from reference.privacy.guarantees import (
        ZCDP,
        ApproximateDP,
        GaussianDP,
        Model,
        PureDP,
        Relation,
        RenyiDP,
    )

_NAMES = {
    "auditor.described.build": (
        "along averaged form real_data root_mean_square without_truncation"
    ),
    "auditor.checking.engine": "check check_samples measure measure_samples",
    "auditor.checking.rate": "ScalingResult check_scaling",
    "auditor.checking.rerun": "rerun",
    "auditor.checking.result": "CheckResult Measurement Rerun",
    "auditor.checking.source": "Program",
    "auditor.conformance.conform": "conform",
    "auditor.core.case": ("BlackBox Case Data ExactQuery Form RealData Run Scaling Trivial Twin"),
    "auditor.core.errors": "InputError",
    "auditor.core.mutation": "scaled_claim through unreleased",
    "auditor.core.neighbours": (
        "HUGE Ball Box Choice Counts Domain Everything Integers Product Table differ_in_label "
        "n_records remove_record replace_record"
    ),
    "auditor.core.rates": "noise_slope rate_slope",
    "auditor.core.setting": "Setting",
    "auditor.described.properties": "properties",
    "auditor.runs.declaration": "Primitive",
    "auditor.runs.instrument": "instrument",
    "reference.catalogue": "Entry Erratum Paper PrintedForm Source Withdrawn",
    "reference.privacy.guarantees": ("ZCDP ApproximateDP GaussianDP Model PureDP Relation RenyiDP"),
}

PLACES = {name: module for module, names in _NAMES.items() for name in names.split()}
"""Public name -> module that it is in: loaded when first used, for the auditor takes a second."""

__all__ = [
    "HUGE",
    "PLACES",
    "ZCDP",
    "ApproximateDP",
    "Ball",
    "BlackBox",
    "Box",
    "Case",
    "CheckResult",
    "Choice",
    "Counts",
    "Data",
    "Domain",
    "Entry",
    "Erratum",
    "Everything",
    "ExactQuery",
    "Form",
    "GaussianDP",
    "InputError",
    "Integers",
    "Measurement",
    "Model",
    "Paper",
    "Primitive",
    "PrintedForm",
    "Product",
    "Program",
    "PureDP",
    "RealData",
    "Relation",
    "RenyiDP",
    "Rerun",
    "Run",
    "Scaling",
    "ScalingResult",
    "Setting",
    "Source",
    "Table",
    "Trivial",
    "Twin",
    "Withdrawn",
    "along",
    "averaged",
    "check",
    "check_samples",
    "check_scaling",
    "conform",
    "differ_in_label",
    "form",
    "instrument",
    "measure",
    "measure_samples",
    "n_records",
    "noise_slope",
    "properties",
    "rate_slope",
    "real_data",
    "remove_record",
    "replace_record",
    "rerun",
    "root_mean_square",
    "scaled_claim",
    "through",
    "unreleased",
    "without_truncation",
]


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

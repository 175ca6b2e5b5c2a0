"""The runs of one form, recorded once and read by every question that can use them."""

from __future__ import annotations

from auditor.core.case import Form
from auditor.core.context import Context


class SharedRuns:
    """Recorded runs of a form on both data sets of its pair, made when they are first read.

    Parameters
    ----------
    form : Form
    context : Context
        Of the form: all its questions get the same runs, whoever asks first and however many.
    """

    def __init__(self, form: Form, context: Context) -> None:
        self.form = form
        self.context = context

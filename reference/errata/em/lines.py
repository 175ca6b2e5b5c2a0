"""Single lines of Chapter 7 and its sources as they are printed, for those who port the rest right.

A port that repeats one of them, with the right constants, gives a result that the conformance
vectors know by the name of its erratum.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PrintedLine:
    """A piece of the reference's source, and what the paper has in its place.

    Parameters
    ----------
    about : str
        What is printed, in a few words.
    erratum : str
        Its name.
    module : str
        Of the reference.
    right, wrong : str
        Source text that is there exactly once, and the printed one.
    """

    about: str
    erratum: str
    module: str
    right: str
    wrong: str

    def printed(self, source: str) -> str:
        """Return the source of the module with the printed line.

        Raises
        ------
        ValueError
            If the right one is not there exactly once.
        """
        if source.count(self.right) != 1:
            raise ValueError(f"{self.right!r} is {source.count(self.right)} times in {self.module}")
        return source.replace(self.right, self.wrong)


MODELS = "reference.em.models"
WEIGHTED = '''
        return _sign(exponents)

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return ((2w - 1) y_i - <x_i, beta>) x_i."""'''
OBSERVED_ALONE = "np.where(np.isnan(data[:, :-1]), part.mean, 0.0)"
PRINTED_MEAN = (
    '__import__("reference.errata.em.split_gradient_em", fromlist=["printed_mean"]).printed_mean('
)
DOUBLED = "the gradient of the regressions has 2w y for (2w - 1) y"

LINES = (
    PrintedLine(
        "the sum of the corrections is divided by n, not by the size of the block",
        "wang-2/E2",
        "reference.em.split_gradient_em",
        "truncated_mean(\n            gradients, scale=chosen.truncation_scale, "
        "precision=chosen.precision\n        )",
        f"{PRINTED_MEAN}gradients, chosen.truncation_scale, chosen.precision, "
        "correction_factor=chosen.truncation_scale / n)",
    ),
    PrintedLine(
        "the sum of the corrections lacks the factor s",
        "diss-7.2.57/E1",
        "reference.em.private_em",
        "truncated_mean(terms, scale=chosen.truncation_scale, precision=chosen.precision)",
        f"{PRINTED_MEAN}terms, chosen.truncation_scale, chosen.precision, "
        "correction_factor=1 / len(records))",
    ),
    *(
        PrintedLine(
            "every iteration reads the first batch",
            "zhang-2/E1",
            f"reference.em.{name}",
            "records[batch]",
            "records[: n // n_iterations]",
        )
        for name in ("sparse_em", "dense_em")
    ),
    *(
        PrintedLine(
            "neither start nor iterates are clipped",
            "zhang-6/E1",
            f"reference.em.{name}",
            "bound = model.iterate_bound(truncation_level)",
            'bound = float("inf")',
        )
        for name in ("sparse_em", "dense_em")
    ),
    PrintedLine(
        "the weight of the mixture lacks a factor 2",
        "model-gmm/E1",
        MODELS,
        "exponents = (data @ beta) / self.standard_deviation**2",
        "exponents = (data @ beta) / (2 * self.standard_deviation**2)",
    ),
    PrintedLine(
        "the weight of the regressions lacks a factor 2",
        "model-mrm/E2",
        MODELS,
        f"@ beta) / self.standard_deviation**2{WEIGHTED}",
        f"@ beta) / (2 * self.standard_deviation**2){WEIGHTED}",
    ),
    PrintedLine(
        DOUBLED,
        "zhang-5/E1",
        MODELS,
        "_finite(weights * y - _finite(x @ beta))",
        "_finite((1 + weights) * y - _finite(x @ beta))",
    ),
    PrintedLine(
        DOUBLED,
        "zhang-5/E1",
        MODELS,
        "weights * clip_entries(y, threshold) - fitted",
        "(1 + weights) * clip_entries(y, threshold) - fitted",
    ),
    PrintedLine(
        "missing entries of the gradient lack the factor sigma^2/v",
        "model-rmc/E1",
        MODELS,
        "* part.residual) - 1) * shrinkage",
        "* part.residual) - 1)",
    ),
    PrintedLine(
        "K_beta has I for its missing block",
        "zhang-6/E2",
        MODELS,
        "- shrinkage[:, None] * part.hidden",
        f"- part.hidden + clip_entries({OBSERVED_ALONE} @ beta, threshold)[:, None] "
        f"* clip_entries({OBSERVED_ALONE}, threshold)",
    ),
)

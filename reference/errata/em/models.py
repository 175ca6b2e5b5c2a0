"""The latent-variable models as the papers print them, where they differ from the models' own.

And single lines, of the models and of the algorithms: a port that repeats one of them, with the
right constants, gives a result that the conformance vectors know by the name of its erratum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reference._validation import FloatArray
from reference.clipping import clip_entries
from reference.em.models import LARGEST, GaussianMixture, MissingCovariates, MixtureOfRegressions


@dataclass(frozen=True)
class PrintedMixture(GaussianMixture):
    """A Gaussian mixture with the printed weight 1/(1 + exp(-<beta, y>/sigma^2)).

    It is not the posterior of the model: the exponent lacks a factor 2, so the true parameter is
    not a fixed point (erratum model-gmm/E1; Wang, Ding, Hu, Xie, Pan and Xu (2020), l.109, Wang
    (2020), l.9466, Zhang and Zhang (2021), l.231).
    """

    def signs(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return 2 w_beta(y_i) - 1 = tanh(<beta, y_i>/(2 sigma^2)), shape (n,)."""
        return super().signs(data, beta / 2)


@dataclass(frozen=True)
class PrintedRegressions(MixtureOfRegressions):
    """A mixture of regressions with the printed weight 1/(1 + exp(-y <beta, x>/sigma^2)).

    The exponent lacks a factor 2 (errata model-mrm/E2, zhang-5/E2; Wang, Ding, Hu, Xie, Pan and Xu
    (2020), l.121, Wang (2020), l.9476, Zhang and Zhang (2021), l.298).
    """

    def signs(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return 2 w - 1 = tanh(y_i <beta, x_i>/(2 sigma^2)), shape (n,)."""
        return super().signs(data, beta / 2)


@dataclass(frozen=True)
class DoubledRegressions(MixtureOfRegressions):
    """A mixture of regressions with the gradient 2w y x - <x, beta> x.

    Zhang and Zhang (2021), l.302, 306, 580.

    The gradient of its Q_n is (2w - 1) y x - <x, beta> x: the same mean, but the noise of y x is
    added and the sensitivity doubled (erratum zhang-5/E1). Gradients only.
    """

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return (2w y_i - <x_i, beta>) x_i."""
        with np.errstate(over="ignore"):
            surplus = data[:, -1:] * data[:, :-1]
        return clip_entries(super().gradients(data, beta) + surplus, LARGEST)

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return (2w Pi_T(y_i) - Pi_T(<x_i, beta>)) Pi_T(x_i)."""
        truncated = clip_entries(data, threshold)
        surplus = truncated[:, -1:] * truncated[:, :-1]
        return super().truncated_gradients(data, beta, threshold) + surplus

    def truncated_sensitivity(self, threshold: float) -> float:
        """Return 4T^2 (Zhang and Zhang (2021), (25), whose proof drops 2w)."""
        return 4 * threshold**2


@dataclass(frozen=True)
class PrintedDoubledRegressions(PrintedRegressions, DoubledRegressions):
    """A mixture of regressions with the printed weight and gradient.

    Zhang and Zhang (2021), l.298-306.
    """


@dataclass(frozen=True)
class PrintedMissingCovariates(MissingCovariates):
    """Missing covariates with the printed K_beta = diag(1-z) + m m^T - n n^T, n = (1-z) m.

    It is not the conditional second moment of the model: its missing block is I (errata
    model-rmc/E1, zhang-6/E2; Wang, Ding, Hu, Xie, Pan and Xu (2020), (11), Zhang and Zhang (2021),
    l.341). It need not be positive semidefinite. Where its mean is not, Q_n has no maximum, and
    ``maximiser`` returns its stationary point.
    """

    def gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:
        """Return y_i m_i - K_i beta: a missing entry is beta_j (r^2/v - 1)."""
        part = self._imputed(data, beta)
        with np.errstate(over="ignore"):
            squares = clip_entries(part.residual / part.variance * part.residual, LARGEST)
            missing = clip_entries((squares - 1)[:, None] * part.hidden, LARGEST)
        return np.where(np.isnan(data[:, :-1]), missing, super().gradients(data, beta))

    def truncated_gradients(
        self, data: FloatArray, beta: FloatArray, threshold: float
    ) -> FloatArray:
        """Return Pi(y) Pi(m) - (1-z) beta - Pi(m) Pi(<m, beta>) + Pi(n) Pi(<n, beta>).

        Zhang and Zhang (2021), l.349. An entry changes by up to max(4T^2, 5T^2 - |beta_j|, 2T^2 +
        |beta_j|).
        """
        part = self._imputed(data, beta)
        imputed = np.where(np.isnan(data[:, :-1]), part.mean, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            fitted = [clip_entries(mean @ beta, threshold) for mean in (part.mean, imputed)]
        residuals = clip_entries(part.response, threshold) - fitted[0]
        truncated: FloatArray = (
            residuals[:, None] * clip_entries(part.mean, threshold)
            - part.hidden
            + fitted[1][:, None] * clip_entries(imputed, threshold)
        )
        return truncated

    def _second_moment(self, data: FloatArray, given: FloatArray) -> FloatArray:
        """Return the mean of K_given, shape (d, d)."""
        part, missing = self._imputed(data, given), np.isnan(data[:, :-1])
        imputed = np.where(missing, part.mean, 0.0)
        total = np.diag(missing.sum(axis=0)) + part.mean.T @ part.mean - imputed.T @ imputed
        moment: FloatArray = total / len(data)
        return moment


@dataclass(frozen=True)
class UnclippedMissingCovariates(PrintedMissingCovariates):
    """Missing covariates whose iterates are not clipped, at sensitivity 6T^2 (zhang-6/E1)."""

    def iterate_bound(self, threshold: float) -> float:
        """Return infinity (Zhang and Zhang (2021), (28))."""
        del threshold
        return math.inf


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


MODELS, MISSING = "reference.em.models", "reference.em.missing_covariates"
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
        "finite(weights * y - finite(x @ beta))",
        "finite((1 + weights) * y - finite(x @ beta))",
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
        MISSING,
        "* part.residual) - 1) * shrinkage",
        "* part.residual) - 1)",
    ),
    PrintedLine(
        "K_beta has I for its missing block",
        "zhang-6/E2",
        MISSING,
        "- shrinkage[:, None] * part.hidden",
        f"- part.hidden + clip_entries({OBSERVED_ALONE} @ beta, threshold)[:, None] "
        f"* clip_entries({OBSERVED_ALONE}, threshold)",
    ),
)

"""Cases of the EM algorithms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from auditor.conformance.instance import Instance, Twin
from auditor.described.data.mixtures import tumours
from reference._validation import FloatArray
from reference.em import clipped_gradient_em, dense_em, sparse_em, split_gradient_em
from reference.em.models import (
    GaussianMixture,
    LatentModel,
    MissingCovariates,
    MixtureOfRegressions,
)

MODELS, SPARSE, DENSE = "reference.em.models", "reference.em.sparse_em", "reference.em.dense_em"
SUMS, TRUNCATION = "reference.basic.sums", "reference.heavy_tailed.truncation"
PEELING, LEDGER = "reference.sparse.peeling", "reference.privacy.ledger.live"

# ------------------------------------------------------------------------------- broken twins

OTHER_DIVISOR = Twin(
    "a mean over n - 1",
    "divisor",
    "weights=weights) / vectors.shape[0]",
    "weights=weights) / (vectors.shape[0] - 1)",
    SUMS,
)
DOWNHILL = Twin("the step goes downhill", "sign", "beta + step_size", "beta - step_size")
TOO_FEW = Twin("one step too few", "step", "range(n_iterations)", "range(n_iterations - 1)")
VARIANCE = Twin(
    "the noise's standard deviation is taken for its variance",
    "noise",
    "scale=chosen.noise_scale",
    "scale=chosen.noise_scale ** 0.5",
)

NOT_CLIPPED = Twin(
    "gradients are not clipped", "bound", "clip_rows(gradients, threshold)", "gradients"
)
MEAN_CLIPPED = Twin(
    "the mean is clipped instead of every gradient",
    "bound",
    "rounded_mean(clipped, bound=clipping_threshold)",
    "clip_rows(gradients.mean(axis=0)[None], threshold)[0]",
)
STRETCHED = Twin(
    "short gradients are scaled up to the threshold",
    "formula",
    "np.where(scales < largest, units * scales, vectors)",
    "units * scales",
    "reference.clipping",
)
ENTRIES_CLIPPED = Twin(
    "entries are clipped instead of norms",
    "bound",
    "np.where(scales < largest, units * scales, vectors)",
    "np.clip(vectors, -threshold, threshold)",
    "reference.clipping",
)


FIRST_BLOCK = Twin(
    "every iteration reads the first block",
    "batch",
    "records[block]",
    "records[: n // n_iterations]",
)
FIRST_BATCH = Twin(
    "every iteration reads the first batch (erratum zhang-2/E1)",
    "printed",
    "records[batch]",
    "records[: n // n_iterations]",
)
REMAINDER = Twin(
    "the last block takes the remainder",
    "batch",
    "disjoint_blocks(n, n_iterations)",
    "disjoint_blocks(n, n_iterations, whole=True)",
)
MEAN_TRUNCATED = Twin(
    "the mean is truncated instead of every gradient",
    "bound",
    "truncated_mean(\n            gradients,",
    "truncated_mean(\n            gradients.mean(axis=0)[None],",
)
PRINTED_MEAN = (
    '__import__("reference.errata.em.split_gradient_em", fromlist=["printed_mean"]).printed_mean('
)
WHOLE_SUM = Twin(
    "the sum of the corrections is divided by n, not by the size of the block (erratum wang-2/E2)",
    "printed",
    "truncated_mean(\n            gradients, scale=chosen.truncation_scale, "
    "precision=chosen.precision\n        )",
    f"{PRINTED_MEAN}gradients, chosen.truncation_scale, chosen.precision, "
    "correction_factor=chosen.truncation_scale / n)",
)
WITHOUT_SCALE = Twin(
    "the sum of the corrections lacks the factor s (erratum diss-7.2.57/E1)",
    "printed",
    "truncated_mean(terms, scale=chosen.truncation_scale, precision=chosen.precision)",
    f"{PRINTED_MEAN}terms, chosen.truncation_scale, chosen.precision, "
    "correction_factor=1 / len(records))",
)
PRECISION = Twin(
    "the smoothing noise has standard deviation 1/precision instead of 1/sqrt(precision)",
    "formula",
    "root = math.sqrt(precision)",
    "root = precision",
    TRUNCATION,
)
NOT_SMOOTHED = Twin(
    "phi without the smoothing noise",
    "formula",
    "size = np.where(tiny, np.abs(values), scale * result)",
    "size = scale * (np.minimum(a, _SQRT2) - np.minimum(a, _SQRT2) ** 3 / 6)",
    TRUNCATION,
)

MIXTURE_WEIGHT = Twin(
    "the weight of the mixture lacks a factor 2 (erratum model-gmm/E1)",
    "printed",
    "exponents = (data @ beta) / self.standard_deviation**2",
    "exponents = (data @ beta) / (2 * self.standard_deviation**2)",
    MODELS,
)
MIXTURE_SIGMA = Twin(
    "sigma for sigma^2 in the weight of the mixture",
    "formula",
    "exponents = (data @ beta) / self.standard_deviation**2",
    "exponents = (data @ beta) / self.standard_deviation",
    MODELS,
)
REGRESSIONS_WEIGHT = Twin(
    "the weight of the regressions lacks a factor 2 (erratum model-mrm/E2)",
    "printed",
    "@ beta) / self.standard_deviation**2\n        return _sign(exponents)\n\n    def gradients("
    "self, data: FloatArray, beta: FloatArray) -> FloatArray:\n        "
    '"""Return ((2w - 1) y_i - <x_i, beta>) x_i."""',
    "@ beta) / (2 * self.standard_deviation**2)\n        return _sign(exponents)\n\n    def "
    "gradients(self, data: FloatArray, beta: FloatArray) -> FloatArray:\n        "
    '"""Return ((2w - 1) y_i - <x_i, beta>) x_i."""',
    MODELS,
)
DOUBLED = Twin(
    "the gradient of the regressions has 2w y for (2w - 1) y (erratum zhang-5/E1)",
    "printed",
    "_finite(weights * y - _finite(x @ beta))",
    "_finite((1 + weights) * y - _finite(x @ beta))",
    MODELS,
)
MISSING_MOMENT = Twin(
    "missing entries of the gradient lack the factor sigma^2/v (erratum model-rmc/E1)",
    "printed",
    "* part.residual) - 1) * shrinkage",
    "* part.residual) - 1)",
    MODELS,
)
MISSING_VARIANCE = Twin(
    "the variance of the response counts observed coordinates as well",
    "formula",
    "self.standard_deviation**2 + (hidden**2).sum(axis=1)",
    "self.standard_deviation**2 + (beta**2).sum() + np.zeros(len(x))",
    MODELS,
)
IMPUTED_AS_ZERO = Twin(
    "missing covariates are zeros",
    "formula",
    "mean = _finite(observed + slope[:, None] * hidden)",
    "mean = observed",
    MODELS,
)

MIXTURE_UNCUT = Twin(
    "records are not truncated",
    "bound",
    "* clip_entries(data, threshold) - beta",
    "* data - beta",
    MODELS,
)
MIXTURE_CUT_WEIGHT = Twin(
    "the weight is that of the truncated record",
    "formula",
    "self.signs(data, beta)[:, None] * clip_entries(data, threshold)",
    "self.signs(clip_entries(data, threshold), beta)[:, None] * clip_entries(data, threshold)",
    MODELS,
)
UNCUT_FITTED = Twin(
    "<x, beta> is not truncated",
    "bound",
    "clip_entries(x @ beta, threshold)",
    "x @ beta",
    MODELS,
)
UNCUT_RESPONSE = Twin(
    "the response is not truncated", "bound", "clip_entries(y, threshold)", "y", MODELS
)
UNCUT_FEATURES = Twin(
    "the covariates are not truncated",
    "bound",
    "residuals[:, None] * clip_entries(x, threshold)",
    "residuals[:, None] * x",
    MODELS,
)
CUT_DOUBLED = Twin(
    "the gradient of the regressions has 2w y for (2w - 1) y (erratum zhang-5/E1)",
    "printed",
    "weights * clip_entries(y, threshold) - fitted",
    "(1 + weights) * clip_entries(y, threshold) - fitted",
    MODELS,
)
UNCUT_IMPUTED = Twin(
    "the imputed covariates are not truncated",
    "bound",
    "residuals[:, None] * clip_entries(part.mean, threshold)",
    "residuals[:, None] * part.mean",
    MODELS,
)
UNCUT_IMPUTED_FITTED = Twin(
    "<m, beta> is not truncated",
    "bound",
    "clip_entries(part.mean @ beta, threshold)",
    "part.mean @ beta",
    MODELS,
)
IMPUTED_ALONE = "np.where(np.isnan(data[:, :-1]), part.mean, 0.0)"
CUT_MOMENT = Twin(
    "K_beta has I for its missing block (erratum zhang-6/E2)",
    "printed",
    "- shrinkage[:, None] * part.hidden",
    f"- part.hidden + clip_entries({IMPUTED_ALONE} @ beta, threshold)[:, None] "
    f"* clip_entries({IMPUTED_ALONE}, threshold)",
    MODELS,
)

NOT_BOUNDED = Twin(
    "iterates are not clipped",
    "bound",
    "beta = np.clip(found.vector, -bound, bound)",
    "beta = found.vector",
    SPARSE,
)
START_NOT_BOUNDED = Twin(
    "the start is not clipped", "bound", "beta = np.clip(beta, -bound, bound)", "beta = 1.0 * beta"
)
NOTHING_BOUNDED = Twin(
    "neither start nor iterates are clipped (erratum zhang-6/E1)",
    "printed",
    "bound = model.iterate_bound(truncation_level)",
    'bound = float("inf")',
)
SORTED = Twin(
    "noisy values are put where they are in the order of the coordinates, not of the selection",
    "index",
    "sparse[support] = values",
    "sparse[np.sort(support)] = values",
    PEELING,
)
BARE_VALUES = Twin(
    "selected values are released without noise of their own",
    "noise",
    "sparse[support] = values",
    "sparse[support] = v[support]",
    PEELING,
)
WITH_SIGN = Twin(
    "the largest coordinates are selected, not the largest in size",
    "index",
    "np.abs(array),\n                    sensitivity=sensitivity,",
    "array,\n                    sensitivity=sensitivity,",
    LEDGER,
)
SELECTED_AGAIN = Twin(
    "a coordinate can be selected twice", "index", "excluded=tuple(chosen)", "excluded=()", LEDGER
)


def at(twin: Twin, where: str) -> Twin:
    """Return a twin in the file where the loop of an algorithm is."""
    return replace(twin, where=where)


# --------------------------------------------------------------------------------------- data

TRUTH = np.array([1.0, -0.5, 0.25])
SPARSE_TRUTH = np.array([1.0, 0.0, -0.8, 0.0, 0.0, 0.0])
FEW = np.array([[2.0, 0.0], [0.5, 0.5], [-1.5, 1.0], [1.0, -4.0]])
FEW_REGRESSIONS = np.array([[2.0, 0.0, 2.0], [0.5, 0.5, -1.0], [-2.0, 1.0, 0.5], [1.0, -1.0, 4.0]])
FEW_MISSING = np.array(
    [[1.0, np.nan, 2.0], [np.nan, 0.5, -1.0], [-2.0, 1.0, 0.5], [np.nan, np.nan, 4.0]]
)
PRIVATE: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5}


def sample(model: LatentModel, truth: FloatArray, n: int) -> FloatArray:
    """Return records of a model, with four digits."""
    return model.sample(truth, n, np.random.default_rng(1)).round(4)


def breast_cancer(n: int, dimension: int) -> FloatArray:
    """Return some tumours (scikit-learn), standardised, with the midpoint of the classes at 0."""
    return tumours().data[:n, :dimension].round(6)


# --------------------------------------------------------------------------------- algorithms


def wang_1() -> tuple[Instance, ...]:
    """Clipped gradient EM."""
    usual = {**PRIVATE, "step_size": 0.5}
    return (
        Instance(
            "by-hand",
            "One step on two records, one of whose gradients is clipped to norm 1.",
            {
                "data": FEW[:2],
                **usual,
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "clipping_threshold": 1.0,
                "n_iterations": 1,
                "constants": clipped_gradient_em.Constants(sensitivity=1.0, noise_scale=4.0),
            },
            twins=(NOT_CLIPPED, STRETCHED, VARIANCE, OTHER_DIVISOR),
        ),
        Instance(
            "middle",
            "Three steps; some gradients are clipped and some are not.",
            {
                "data": sample(GaussianMixture(0.6), TRUTH, 40),
                **usual,
                "model": GaussianMixture(0.6),
                "initial": np.array([0.5, 0.1, 0.1]),
                "clipping_threshold": 0.75,
                "n_iterations": 3,
            },
            twins=(
                NOT_CLIPPED,
                MEAN_CLIPPED,
                ENTRIES_CLIPPED,
                DOWNHILL,
                TOO_FEW,
                MIXTURE_WEIGHT,
                MIXTURE_SIGMA,
            ),
        ),
        Instance(
            "regressions",
            "Another model: records are features and a response.",
            {
                "data": sample(MixtureOfRegressions(0.8), TRUTH, 25),
                **usual,
                "model": MixtureOfRegressions(0.8),
                "initial": np.array([0.5, 0.1, 0.1]),
                "clipping_threshold": 2.0,
                "n_iterations": 2,
            },
            twins=(NOT_CLIPPED, REGRESSIONS_WEIGHT, DOUBLED),
        ),
        Instance(
            "missing-covariates",
            "The third model: covariates that are not a number are missing and have to be imputed.",
            {
                "data": sample(MissingCovariates(0.8, 0.3), TRUTH, 25),
                **usual,
                "model": MissingCovariates(0.8, 0.3),
                "initial": np.array([0.5, 0.1, 0.1]),
                "clipping_threshold": 2.0,
                "n_iterations": 2,
            },
            twins=(NOT_CLIPPED, MISSING_MOMENT, MISSING_VARIANCE),
        ),
        Instance(
            "huge-records",
            "Gradients that are 0, overflow, or whose squares do, must not make a run fail: what "
            "overflows counts as 1e300 and is clipped.",
            {
                "data": np.array(
                    [
                        [3.0, 1.0, -1.0],
                        [0.0, 0.0, 2.0],
                        [3e200, 0.0, 4e200],
                        [-2e200, 1e10, 0.0],
                        [1e305, 1e305, -2e305],
                    ]
                ),
                **usual,
                "model": MixtureOfRegressions(1.0),
                "initial": np.array([0.5, 0.25]),
                "clipping_threshold": 1.0,
                "n_iterations": 2,
            },
            twins=(
                NOT_CLIPPED,
                Twin(
                    "what overflows stays infinite",
                    "bound",
                    "return clip_entries(values, LARGEST)",
                    "return values",
                    MODELS,
                ),
            ),
        ),
        Instance(
            "real-data",
            "Tumours: three of the features of forty records.",
            {
                "data": breast_cancer(40, 3),
                **usual,
                "model": GaussianMixture(1.0),
                "initial": np.array([-0.5, -0.5, -0.5]),
                "clipping_threshold": 1.0,
                "n_iterations": 2,
            },
            twins=(NOT_CLIPPED,),
        ),
    )


def truncating(name: str) -> tuple[Instance, ...]:
    """Return the cases of the gradient EM algorithms with a smoothed truncation.

    Parameters
    ----------
    name : {"split", "full", "local"}
        Of the algorithm: blocks, all records in every step, or messages of the users.
    """
    usual = {**PRIVATE, "second_moment": 2.0, "failure_probability": 0.05, "step_size": 0.5}
    chosen = split_gradient_em.Constants(
        truncation_scale=1.0, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    blocks = () if name == "full" else (FIRST_BLOCK,)
    remainder = () if name == "full" else (REMAINDER,)
    mean = () if name == "local" else (MEAN_TRUNCATED, OTHER_DIVISOR)
    added = (
        (Twin("messages are added up", "divisor", "messages.mean(axis=0)", "messages.sum(axis=0)"),)
        if name == "local"
        else ()
    )
    few = (TOO_FEW,) if name == "full" else ()
    printed = (WHOLE_SUM,) if name == "split" else ()
    whole = "all four records" if name == "full" else "two records"
    return (
        Instance(
            "by-hand",
            f"Two steps of {whole} each; the truncation at scale 1 bends every gradient.",
            {
                "data": FEW,
                **usual,
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "n_iterations": 2,
                "constants": chosen,
            },
            twins=(
                *blocks,
                *few,
                *mean,
                *added,
                *printed,
                DOWNHILL,
                VARIANCE,
                PRECISION,
                NOT_SMOOTHED,
                MIXTURE_WEIGHT,
            ),
        ),
        Instance(
            "middle",
            "Three steps with the theory's constants"
            + ("." if name == "full" else "; two records of 32 are left over."),
            {
                "data": sample(GaussianMixture(0.6), TRUTH, 32),
                **usual,
                "model": GaussianMixture(0.6),
                "initial": np.array([0.5, 0.1, 0.1]),
                "n_iterations": 3,
            },
            twins=(*blocks, *remainder, *mean[:1], *printed, MIXTURE_WEIGHT, MIXTURE_SIGMA),
        ),
        Instance(
            "heavy-tails",
            "Regressions with two gross errors: far beyond the scale the truncation is flat.",
            {
                "data": with_outliers(sample(MixtureOfRegressions(0.8), TRUTH, 24)),
                **usual,
                "model": MixtureOfRegressions(0.8),
                "initial": np.array([0.5, 0.1, 0.1]),
                "second_moment": 0.5,
                "n_iterations": 2,
            },
            twins=(*mean[:1], *printed, PRECISION, REGRESSIONS_WEIGHT, DOUBLED),
        ),
        Instance(
            "sharp",
            "A high precision: the smoothing noise is small even where the truncation is flat, "
            "and the closed form is used up to eight times the scale.",
            {
                "data": sample(MissingCovariates(0.8, 0.3), TRUTH, 24),
                **usual,
                "model": MissingCovariates(0.8, 0.3),
                "initial": np.array([0.5, 0.1, 0.1]),
                "n_iterations": 2,
                "constants": replace(chosen, truncation_scale=0.2, precision=900.0),
            },
            twins=(*printed, PRECISION, MISSING_MOMENT, MISSING_VARIANCE),
        ),
    )


def with_outliers(data: FloatArray) -> FloatArray:
    """Return records of regressions with a gross error in one response and one covariate."""
    data[3, -1], data[17, 0] = 50.0, -40.0
    return data


def wang_2() -> tuple[Instance, ...]:
    """Gradient EM with smoothed truncation, on blocks."""
    return truncating("split")


def wang_ldp_em() -> tuple[Instance, ...]:
    """Local gradient EM with smoothed truncation."""
    return truncating("local")


def diss_7_2_56() -> tuple[Instance, ...]:
    """Gradient EM with smoothed truncation, all records in every step."""
    return truncating("full")


def diss_7_2_57() -> tuple[Instance, ...]:
    """EM with smoothed truncation of the M-step's terms."""
    usual = {**PRIVATE, "second_moment": 2.0, "failure_probability": 0.05}
    chosen = split_gradient_em.Constants(
        truncation_scale=0.5, precision=4.0, sensitivity=2.0, noise_scale=0.5
    )
    truncated = Twin(
        "the mean is truncated instead of every term",
        "bound",
        "truncated_mean(terms,",
        "truncated_mean(terms.mean(axis=0)[None],",
    )
    gradient = Twin(
        "the gradient for the term of the M-step",
        "formula",
        "model.terms(records, beta)",
        "model.gradients(records, beta)",
    )
    return (
        Instance(
            "by-hand",
            "Two steps on three records; the truncation at scale 1/2 bends every term.",
            {
                "data": FEW[[0, 1, 3]],
                **usual,
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "n_iterations": 2,
                "constants": chosen,
            },
            twins=(
                truncated,
                gradient,
                WITHOUT_SCALE,
                MIXTURE_WEIGHT,
                TOO_FEW,
                VARIANCE,
                OTHER_DIVISOR,
                PRECISION,
                NOT_SMOOTHED,
                Twin(
                    "the M-step is added to the parameter",
                    "step",
                    "beta = ledger.gaussian(",
                    "beta = beta + ledger.gaussian(",
                ),
            ),
        ),
        Instance(
            "middle",
            "Three steps with the theory's constants.",
            {
                "data": sample(GaussianMixture(0.6), TRUTH, 30),
                **usual,
                "model": GaussianMixture(0.6),
                "initial": np.array([0.5, 0.1, 0.1]),
                "n_iterations": 3,
            },
            twins=(truncated, gradient, WITHOUT_SCALE, MIXTURE_WEIGHT, MIXTURE_SIGMA),
        ),
        Instance(
            "heavy-tails",
            "Two gross errors: far beyond the scale the truncation is flat.",
            {
                "data": with_outliers(sample(GaussianMixture(0.6), TRUTH, 24)),
                **usual,
                "model": GaussianMixture(0.6),
                "initial": np.array([0.5, 0.1, 0.1]),
                "second_moment": 0.5,
                "n_iterations": 2,
            },
            twins=(truncated, WITHOUT_SCALE, PRECISION),
        ),
    )


def truncated_models() -> tuple[tuple[str, LatentModel, FloatArray, tuple[Twin, ...]], ...]:
    """Return name, model, four records of two coordinates and the twins of every model."""
    return (
        ("mixture", GaussianMixture(0.6), FEW, (MIXTURE_UNCUT, MIXTURE_CUT_WEIGHT, MIXTURE_WEIGHT)),
        (
            "regressions",
            MixtureOfRegressions(0.6),
            FEW_REGRESSIONS,
            (UNCUT_FITTED, UNCUT_RESPONSE, UNCUT_FEATURES, CUT_DOUBLED, REGRESSIONS_WEIGHT),
        ),
        (
            "missing-covariates",
            MissingCovariates(0.6, 0.3),
            FEW_MISSING,
            (UNCUT_IMPUTED, UNCUT_IMPUTED_FITTED, CUT_MOMENT, MISSING_VARIANCE, IMPUTED_AS_ZERO),
        ),
    )


def blocked(*, sparse: bool, where: str = "") -> tuple[Twin, ...]:
    """Return the twins of the loop of the algorithms with truncated gradients."""
    loop = (FIRST_BATCH, REMAINDER, DOWNHILL, OTHER_DIVISOR)
    before = "scale=rounding * chosen.noise_scale"
    variance = replace(VARIANCE, before=before, after=f"{before} ** 0.5", where=DENSE)
    own = (SORTED, BARE_VALUES, WITH_SIGN, SELECTED_AGAIN) if sparse else (variance,)
    return tuple(twin if twin.where else at(twin, where) for twin in loop) + own


def bounded(*, sparse: bool) -> tuple[Twin, ...]:
    """Return the twins in which the start or an iterate is not clipped."""
    if sparse:
        return at(START_NOT_BOUNDED, SPARSE), NOT_BOUNDED, at(NOTHING_BOUNDED, SPARSE)
    unbounded = replace(
        NOT_BOUNDED, before="beta = np.clip(noisy, -bound, bound)", after="beta = noisy"
    )
    return at(START_NOT_BOUNDED, DENSE), at(unbounded, DENSE), at(NOTHING_BOUNDED, DENSE)


def framework(*, sparse: bool) -> tuple[Instance, ...]:
    """Return the cases of Algorithms 2 and 4, for any model, with and without thresholding."""
    usual: dict[str, Any] = {**PRIVATE, "step_size": 0.5, **({"sparsity": 2} if sparse else {})}
    kind = sparse_em.Constants if sparse else dense_em.Constants
    (_, model, few, twins), *others = truncated_models()
    start = np.array([0.5, 0.0, -0.1, 0.0, 0.0, 0.0])
    instances = [
        Instance(
            "by-hand",
            "Two steps, on two records each, whose coordinates are cut at 1"
            + ("; one coordinate is kept." if sparse else "."),
            {
                "data": few,
                **usual,
                **({"sparsity": 1} if sparse else {}),
                "model": GaussianMixture(1.0),
                "initial": np.array([0.5, 0.0]),
                "truncation_level": 1.0,
                "n_iterations": 2,
                "constants": kind(sensitivity=1.0, noise_scale=0.5),
            },
            twins=(FIRST_BATCH, DOWNHILL, MIXTURE_UNCUT, MIXTURE_CUT_WEIGHT),
        ),
        Instance(
            "middle",
            "Three steps with the theory's constants; two records of 32 are left over.",
            {
                "data": sample(model, SPARSE_TRUTH, 32),
                **usual,
                "model": model,
                "initial": start,
                "truncation_level": 1.25,
                "n_iterations": 3,
            },
            twins=(*blocked(sparse=sparse), *twins),
        ),
        Instance(
            "far-start",
            "The start is so large that the rounding of start plus step adds to the sensitivity: "
            "claim and noise grow by the factor 1 + 2u/sensitivity, u the distance of doubles.",
            {
                "data": FEW,
                **usual,
                **({"sparsity": 1} if sparse else {}),
                "model": model,
                "initial": np.array([1e8, 0.0]),
                "truncation_level": 0.01,
                "n_iterations": 2,
                "constants": kind(sensitivity=0.005, noise_scale=0.01),
            },
            twins=(
                Twin(
                    "the rounding of start plus step is not counted",
                    "noise",
                    "rounding = rounding_factor(beta, sensitivity=chosen.sensitivity)",
                    "rounding = 1.0",
                ),
            ),
        ),
    ]
    for name, other, _, wrong in others:
        binding = isinstance(other, MissingCovariates)
        instances.append(
            Instance(
                name,
                "Another model: "
                + (
                    "missing covariates are imputed, and start and iterates are clipped at four "
                    "times the square of the truncation level."
                    if binding
                    else "response, covariates and fitted value are cut."
                ),
                {
                    "data": sample(other, SPARSE_TRUTH[[0, 2, 1]], 24),
                    **usual,
                    "model": other,
                    "initial": np.array([0.5, 0.0, -0.1]),
                    "truncation_level": 0.3 if binding else 1.0,
                    "n_iterations": 2,
                },
                twins=(*wrong, *(bounded(sparse=sparse) if binding else ())),
            )
        )
    if sparse:
        instances.append(
            Instance(
                "all-kept",
                "As many coordinates are kept as there are: the selection decides only the order.",
                {
                    "data": few,
                    **usual,
                    "model": GaussianMixture(1.0),
                    "initial": np.array([0.5, -0.25]),
                    "truncation_level": 1.0,
                    "n_iterations": 2,
                },
                twins=(SELECTED_AGAIN,),
            )
        )
    return tuple(instances)


def applied(index: int, *, sparse: bool) -> tuple[Instance, ...]:
    """Return the cases of an algorithm for one model, the index-th of the three."""
    usual: dict[str, Any] = {**PRIVATE, **({"sparsity": 2} if sparse else {})}
    kind, where = (sparse_em, SPARSE) if sparse else (dense_em, DENSE)
    _, model, few, twins = truncated_models()[index]
    loop = blocked(sparse=sparse, where=where)
    binding = isinstance(model, MissingCovariates)
    level = 0.5 if binding else 1.0
    by_hand = Instance(
        "by-hand",
        f"Two steps of length 1, on two records each, cut at {level:g}"
        + ("; the start is clipped at 1." if binding else "."),
        {
            "data": few,
            **usual,
            **({"sparsity": 1} if sparse else {}),
            "initial": np.array([2.0 if binding else 0.75, 0.0]),
            "standard_deviation": 1.0,
            "truncation_level": level,
            "n_iterations": 2,
            "constants": kind.Constants(sensitivity=1.0, noise_scale=0.5),
        },
        twins=(
            at(FIRST_BATCH, where),
            *(twin for twin in twins if twin != MISSING_VARIANCE),  # of one coordinate no matter
            *((bounded(sparse=sparse)[0], bounded(sparse=sparse)[2]) if binding else ()),
        ),
    )
    middle = Instance(
        "middle",
        "Three steps of length 0.5 with the theory's constants; two records of 32 are left over.",
        {
            "data": sample(model, SPARSE_TRUTH[:4], 32),
            **usual,
            **({"epsilon": 8.0} if sparse else {}),
            "initial": np.array([0.5, 0.0, -0.1, 0.0]),
            "standard_deviation": 0.6,
            "truncation_level": 1.25,
            "step_size": 0.5,
            "n_iterations": 3,
        },
        twins=(*loop, *twins),
    )
    clipped = Instance(
        "clipped-iterates",
        "A low truncation level: start and iterates are clipped at four times its square.",
        {
            "data": sample(model, SPARSE_TRUTH[[0, 2, 1]], 20),
            **usual,
            "initial": np.array([0.5, 0.0, -0.1]),
            "standard_deviation": 0.6,
            "truncation_level": 0.3,
            "n_iterations": 2,
        },
        twins=bounded(sparse=sparse),
    )
    return (by_hand, middle, clipped) if binding else (by_hand, middle)


def zhang_2() -> tuple[Instance, ...]:
    """Sparse EM for any model."""
    return framework(sparse=True)


def zhang_3() -> tuple[Instance, ...]:
    """Sparse EM for the mixture."""
    real = Instance(
        "real-data",
        "Tumours: four of the features of forty records.",
        {
            "data": breast_cancer(40, 4),
            **PRIVATE,
            "epsilon": 4.0,
            "initial": np.array([-0.5, 0.0, -0.5, 0.0]),
            "standard_deviation": 1.0,
            "sparsity": 2,
            "truncation_level": 1.5,
            "n_iterations": 2,
        },
        twins=(MIXTURE_UNCUT, MIXTURE_WEIGHT),
    )
    return (*applied(0, sparse=True), real)


def zhang_4() -> tuple[Instance, ...]:
    """Dense EM for any model."""
    return framework(sparse=False)


def zhang_5() -> tuple[Instance, ...]:
    """Sparse EM for the regressions."""
    return applied(1, sparse=True)


def zhang_6() -> tuple[Instance, ...]:
    """Sparse EM for missing covariates."""
    return applied(2, sparse=True)


def zhang_7() -> tuple[Instance, ...]:
    """Dense EM for the regressions."""
    return applied(1, sparse=False)


def zhang_8() -> tuple[Instance, ...]:
    """Dense EM for missing covariates."""
    return applied(2, sparse=False)


INSTANCES = {
    "wang-1": wang_1,
    "wang-2": wang_2,
    "wang-ldp-em": wang_ldp_em,
    "diss-7.2.56": diss_7_2_56,
    "diss-7.2.57": diss_7_2_57,
    "zhang-2": zhang_2,
    "zhang-3": zhang_3,
    "zhang-4": zhang_4,
    "zhang-5": zhang_5,
    "zhang-6": zhang_6,
    "zhang-7": zhang_7,
    "zhang-8": zhang_8,
}

"""Why claims of the libraries fail: reproduced by hand, and found in the library's source.

A violated subject without a finding here is listed as not reproduced, and not claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

REPRODUCTIONS = Path(__file__).parent / "reproductions"

Kind = Literal["noise", "input", "relation", "floating point", "documented"]
KINDS: dict[Kind, str] = {
    "noise": "Too little noise, or none, on data that meet the documented conditions",
    "input": "Data or parameters that a careful user would avoid, accepted without a warning",
    "relation": "A matter of what neighbours are",
    "floating point": "Floating-point arithmetic",
    "documented": "Leaks that the library announces",
}


@dataclass(frozen=True)
class Finding:
    """A leak that was reproduced by hand.

    Attributes
    ----------
    key : str
        What subjects refer to.
    kind : str
        A section of the page.
    title : str
    reason : str
        Why, with the place in the library's source.
    documented : str
        What the library's documentation says of it.
    script : str
        The module of ``reproductions/``.
    checked : bool
        Whether a subject is to show it.
    library : str
        In whose environment the reproduction runs.
    """

    key: str
    kind: Kind
    title: str
    reason: str
    documented: str
    script: str
    checked: bool = True
    library: str = "diffprivlib"

    @property
    def path(self) -> Path:
        """The reproduction."""
        return REPRODUCTIONS / f"{self.script}.py"


ISSUES = "https://github.com/IBM/differential-privacy-library/issues"
SILENT = "No; no issue was found."
K_MEANS = (
    f"Not in the package. Issue [104]({ISSUES}/104) "
    "(open) lists k-means among five things to correct; whether it means this one was not seen."
)

FINDINGS = (
    Finding(
        "lower bound",
        "noise",
        "LinearRegression scales the noise of Σx² by the lower bound alone",
        "`models/linear_regression.py`, `_construct_regression_obj`, line 144: the sensitivity of "
        "the sum of squares is `max(|bounds_X[0][i]|, |bounds_X[0][i]|)²`, with the lower bound "
        "twice, where the second should be the upper, `bounds_X[1][i]`. Bounds are taken around "
        "the noisy mean, which is truncated to them: with bounds (0, 1) it is often exactly 0, and "
        "then Σx² has no noise at all. (With bounds (-1, 1) and an intercept the claim held in "
        "this run and was refuted in another, with seed 5; this was not examined by hand, and is "
        "not claimed.)",
        "Not in the package, but known: issues "
        f"[104]({ISSUES}/104) and "
        f"[105]({ISSUES}/105), and a "
        f"correction in [110]({ISSUES}/110), all "
        "open.",
        "linear_regression_lower_bound",
    ),
    Finding(
        "inertia",
        "noise",
        "KMeans releases inertia_ (and labels_) without noise",
        "`models/k_means.py`, `fit`, lines 166 and 167: both are computed from the data and the "
        "noisy centres, and kept as public attributes. With the centres, `inertia_` gives the data "
        "set away.",
        "The two attributes are listed with no word on privacy; no issue was found.",
        "kmeans_inertia",
    ),
    Finding(
        "empty cluster",
        "noise",
        "KMeans leaves the centre of an empty cluster exactly where it was",
        "`models/k_means.py`, `_update_centers`, line 243: `if cluster not in labels: continue`. "
        "Whether a cluster has no record or one is decided without noise: the centre of an empty "
        "one stays, that of a cluster of one record is replaced by noise. Initial centres are far "
        "apart, so that both centres are rarely close to zero if one of them never moved.",
        K_MEANS,
        "kmeans_empty_cluster",
    ),
    Finding(
        "label moves",
        "noise",
        "GaussianNB does not account for a record that changes its class",
        "`models/naive_bayes.py`, `_update_mean_variance`, line 256: the sum of a feature within a "
        "class has sensitivity `upper - lower`, which is right if a record is replaced within its "
        "class. If its label changes, one class loses x and another gains it, up to "
        "max(|lower|, |upper|) each; far from zero that is much more than the width of the bounds. "
        "(Counts of two classes change as well, `_noisy_class_counts`, line 292, with noise for "
        "one.) The number of records is released exactly, `class_count_.sum()`, so that adding a "
        "record cannot be the relation that is meant.",
        SILENT,
        "naive_bayes_label_moves",
    ),
    Finding(
        "classes",
        "noise",
        "GaussianNB and LogisticRegression read the classes from the data",
        "`models/logistic_regression.py`, `fit`, line 227, and `fit` of scikit-learn's naive "
        "Bayes: `classes_ = np.unique(y)`. A class of one record comes and goes with it; with one "
        "class left LogisticRegression fails. The library's forests take `classes` and warn "
        "(`PrivacyLeakWarning`) if they are read from the data; these two models neither take them "
        "in `fit` nor warn.",
        "No, unlike for the forests; no issue was found.",
        "classes_from_data",
    ),
    Finding(
        "gaps",
        "noise",
        "nanmean, nanvar and nanstd take NaN into account for the noise but not for the statistic",
        "`tools/utils.py`: `_mean` (lines 291 and 293) and `_var` (lines 448 and 451) divide by "
        "`array.size`, all records, in the sensitivity, whereas `np.nanmean` and `np.nanvar` "
        "divide by the number of records that are not NaN. With 99% NaN the noise of a mean is 100 "
        "times too small. `nanstd` calls `_var`.",
        "No: ignoring NaN is what these functions are documented to be for; no issue was found.",
        "nan_functions_count_gaps",
    ),
    Finding(
        "threshold",
        "noise",
        "OpenDP's Laplace threshold on integers states a delta that is one step too small",
        "`make_laplace_threshold` keeps a key if its noisy count is *at least* the threshold "
        "(`rust/src/measurements/noise_threshold/mod.rs`: all but those `Less`), and its map takes "
        "for delta the probability of noise *greater* than threshold minus count "
        "(`conservative_discrete_laplacian_tail_to_alpha`, documented as Pr[X > t]). For scale 1, "
        "threshold 3, and one key with count 1 against none, the three distances are (1, 1, 1), as "
        "the map is asked, and it states 0.0364 = e^-3 / (1 + e^-1), which would be exact if only "
        "counts above 3 were released. Counts of 3 are released too: exactly, the key appears with "
        "probability e^-2 / (1 + e^-1) = 0.0989, and never without it, so that no epsilon helps. "
        "The chain with `make_count_by` is the same. (The source was read in the project's "
        "repository, not at the tag of this version; that the outputs agree is seen by hand.)",
        "No, the other way round: issue [2922](https://github.com/opendp/opendp/issues/2922) "
        "(September 2026, open, labelled as a bug) reports just this, and the same of "
        "`make_gaussian_threshold`, which was not checked here.",
        "opendp_threshold",
        library="opendp",
    ),
    Finding(
        "data norm",
        "noise",
        "LogisticRegression underestimates curvature when data_norm is above 1",
        "`mechanisms/vector.py`, `Vector.randomise`, lines 149 and 153: the correction for the "
        "second derivative is `function_sensitivity * data_sensitivity / alpha`. One record "
        "changes the Hessian by up to `function_sensitivity * data_sensitivity²` (the loss is "
        "differentiated twice), so that the square is missing. With rows of norm at most 1, as in "
        "Chaudhuri, Monteleoni and Sarwate (2011), both are the same; with `data_norm=100` the "
        "added regularisation is 100 times too small.",
        'No: `data_norm` is "the max l2 norm of any row". In issue '
        f"[10]({ISSUES}/10) (closed, 2019) the "
        "maintainers derive the correction with the norm where its square is needed. (Issue "
        f"[104]({ISSUES}/104) lists the vector mechanism as well; why was not seen.)",
        "logistic_regression_data_norm",
    ),
    Finding(
        "weights",
        "noise",
        "histogram with weights has the noise of weights 1",
        "`tools/histograms.py`, `histogram`, line 143: `sensitivity=1` whatever the `weights` "
        "(also `histogramdd`, line 249).",
        "`weights` is documented as in numpy, with no word on privacy; no issue was found.",
        "histogram_weights",
    ),
    Finding(
        "bins",
        "noise",
        "histogram releases the number of bins that bins='auto' chooses from the data",
        "`tools/histograms.py`, `histogram`, line 141: `np.histogram` chooses the bins. There is "
        "a warning if `range` is missing, but none for rules that look at the data.",
        "The option is documented; that it leaks is not; no issue was found.",
        "histogram_bins_auto",
    ),
    Finding(
        "kmeans budget",
        "noise",
        "KMeans spends more than epsilon on five columns or more",
        "`models/k_means.py`: `_split_epsilon` returns the budget of counts and that of a column "
        "as `epsilon_i * normaliser, epsilon_0 * normaliser` (line 291), the wrong way round for "
        "the caller, which unpacks `epsilon_0, epsilon_i` (line 238). The cost of an iteration is "
        "then more than its share as soon as the dimension is 5. **Found by reading, not by the "
        "check:** the excess is spread over so many columns that the probabilities of no event "
        "that could be sampled differ by more than the claim.",
        K_MEANS,
        "kmeans_budget",
        checked=False,
    ),
    Finding(
        "large integers",
        "input",
        "Geometric gives integers beyond 2^53 away",
        "`mechanisms/geometric.py`, `Geometric.randomise`, line 113: `value + sgn * np.floor(...)` "
        "is a double. Neighbouring integers far beyond 2^53 are rounded to different doubles, and "
        "the noise is too small to move either.",
        "No: the value must be an integer, of any size; no issue was found.",
        "geometric_large_integers",
    ),
    Finding(
        "quantile fails",
        "input",
        "quantile, percentile and median fail on some data sets, which gives them away",
        "`mechanisms/exponential.py`, `_find_probabilities`, lines 139 to 142: the utilities are "
        "shifted so that the largest is 0, but with ties the best interval has measure 0. If all "
        "the others underflow, the probabilities are 0/0 and `randomise` raises RuntimeError (line "
        "187). It takes many ties: 2978 equal records at epsilon 1, 298 at epsilon 10.",
        f"As a crash: issue [107]({ISSUES}/107), "
        f"with a correction in [108]({ISSUES}/108), "
        "both open; not as a leak.",
        "quantile_fails",
    ),
    Finding(
        "NaN",
        "input",
        "One NaN makes mean, sum, var and median NaN",
        "`tools/utils.py`, `validation.clip_to_bounds` lets NaN pass, and NaN with noise is NaN. "
        "(`tools/quantiles.py`, line 134, has a comment that this is to be solved.)",
        "Not in the docstrings. Issue "
        f"[80]({ISSUES}/80) (open, labelled as a "
        "bug), by the maintainers, calls it a distinguishing event.",
        "nan_passes",
    ),
    Finding(
        "overflow",
        "input",
        "sum with a small integer dtype overflows",
        "`tools/utils.py`, `_sum`, line 736: the sum is taken by numpy in the `dtype` that is "
        "asked for, and wraps around; noise is scaled as if it did not.",
        "`dtype` is documented as in numpy; no issue was found.",
        "sum_overflow",
    ),
    Finding(
        "bit lengths",
        "input",
        "OpenDP's randomised response of bits does not hide how many there are",
        "`dp.bitvector_domain(max_weight=1)` contains vectors of every length, any two of them at "
        "distance 1, and the release of `make_randomized_response_bitvec` is as long as the data. "
        "With data of one length the claim holds.",
        "Known: issue [2930](https://github.com/opendp/opendp/issues/2930) (September 2026, open, "
        "labelled as a bug).",
        "opendp_bit_lengths",
        library="opendp",
    ),
    Finding(
        "not clipped",
        "input",
        "LinearRegression without an intercept does not clip to its bounds",
        "`models/linear_regression.py`, `_preprocess_data`, lines 83 to 87: `clip_to_bounds` is "
        "called only if `fit_intercept`. Records out of bounds then have no bounded influence, and "
        "there is no warning.",
        'No: the bounds are those "of the data", and without an intercept data are "expected to be '
        'centered"; the other models clip. No issue was found.',
        "linear_regression_not_clipped",
    ),
    Finding(
        "two relations",
        "relation",
        "Histograms and trees protect additions, the other tools replacements",
        "Histograms (`tools/histograms.py`, line 143, `sensitivity=1`) and trees "
        "(`models/forest.py`, line 559, `sensitivity=1, monotonic=True`) cost epsilon if a record "
        "is added, and 2 epsilon if one is replaced. Sums, means, variances and quantiles take the "
        "number of records as public: `tools/utils.py`, line 739, scales by `upper - lower` and "
        "truncates at `upper * array.size`, so that an addition can be seen with certainty. No "
        "single relation gives both the epsilon that they state and that a `BudgetAccountant` adds "
        "up.",
        "No: the word occurs in the package only for nearest neighbours. No issue was found.",
        "two_relations",
    ),
    Finding(
        "float sums",
        "floating point",
        "A sum of doubles moves by more than the width of the bounds",
        "`tools/utils.py`, lines 736 and 739: the sensitivity is `upper - lower`, that of real "
        "numbers. Rounding within the sum can make it as much as the number of records larger, and "
        "noise far below the last place of the sum is lost. This needs bounds that are very close "
        'for their size. Known: Casacuberta, Shoemate, Vadhan and Wagaman, "Widespread '
        'Underestimation of Sensitivity in Differentially Private Libraries and How to Fix It" '
        "(2022).",
        SILENT,
        "float_sums",
    ),
    Finding(
        "low bits",
        "floating point",
        "The low-order bits of Laplace and Gaussian noise give the value away",
        "`mechanisms/laplace.py`, `Laplace.randomise`, line 149, and `mechanisms/gaussian.py`: "
        "`value + scale * noise` in doubles. A release of 0 has all bits of the noise; a release "
        "of 1 is a multiple of 2^-54 or more, however small it is. The noise is a sum of several "
        "variates, which is to keep an attacker from listing the noises that are possible, but not "
        "from looking at where the release ends. Seen as a note beside the verdict, "
        '`floating_point="report"`; whatever adds unrounded noise to a double has it.',
        'The docstrings say that the sampler is "to prevent against reconstruction attacks due to '
        'limited floating point precision", which this one is not. Known: issues '
        f"[19]({ISSUES}/19) (closed) and "
        f"[94]({ISSUES}/94) (open).",
        "low_bits",
        checked=False,
    ),
    Finding(
        "no bounds",
        "documented",
        "Without bounds, they are taken from the data",
        "`tools/utils.py`, `_mean`, line 277, and likewise in all tools and models.",
        f"Yes: `PrivacyLeakWarning`, and issue [20]({ISSUES}/20) (open).",
        "no_bounds",
    ),
    Finding(
        "bits never cleared",
        "noise",
        "RAPPORClient never clears a bit that its item sets",
        "`frequency_oracles/rappor/rappor_client.py`, `_perturb`: a bit that is 1 is set to 1 with "
        "probability 1 - f/2, and left as it is otherwise, which is 1 as well. A report in which a "
        "bit is 0 comes from no item with this bit: no epsilon is enough.",
        "Not reported yet. Issue [11](https://github.com/Samuel-Maddock/pure-LDP/issues/11) (open) "
        "is about another fault of the same kind, of UEClient, which 1.2.0 has mended.",
        "rappor_bits",
        library="pure_ldp",
    ),
    Finding(
        "default seed",
        "noise",
        "The noise of a description is the same for everybody, unless a seed is given",
        "`DataDescriber.py`: `seed=0` is the default of every mode, and sets the generators that "
        "the noise is drawn from. Whoever runs the package with no data at all has the noise.",
        'The parameter is "Seed the random number generator." Not reported yet as a leak.',
        "datasynthesizer_describes",
        library="datasynthesizer",
    ),
    Finding(
        "missing values",
        "noise",
        "The noise of a histogram takes missing values for records",
        "`datatypes/AbstractAttribute.py`, `inject_laplace_noise`: the sensitivity of the shares "
        "is 2/`data.size`, but they are shares of the values that are not missing "
        "(`infer_distribution`). With nine of ten missing, the noise is a tenth of what is due.",
        "Not reported yet.",
        "datasynthesizer_describes",
        library="datasynthesizer",
    ),
    Finding(
        "missing rate",
        "noise",
        "The share of missing values is released without noise",
        "`datatypes/AbstractAttribute.py`, `to_json`: `missing_rate` is part of every description, "
        "whatever epsilon is.",
        "Not reported yet as a leak; issue "
        "[25](https://github.com/DataResponsibly/DataSynthesizer/issues/25) (open) asks for more "
        "use of it.",
        "datasynthesizer_describes",
        library="datasynthesizer",
    ),
    Finding(
        "joint counts",
        "noise",
        "Joint counts have half of the noise that the replacement of a record needs",
        "`lib/PrivBayes.py`, `laplace_noise_parameter`: (d - k)/epsilon for counts. A record that "
        "is replaced moves two of them by 1; the histograms of the same package, and PrivBayes, "
        "count 2. (If a record may only be added or removed, it is enough.)",
        "Known: issue [34](https://github.com/DataResponsibly/DataSynthesizer/issues/34) (closed) "
        "asks for 2 (d - k)/epsilon.",
        "datasynthesizer_counts",
        library="datasynthesizer",
    ),
    Finding(
        "range",
        "input",
        "Without a range, it is that of the data",
        "`datatypes/AbstractAttribute.py`, `infer_domain`: `min` and `max` are the smallest and "
        "the largest value, and are part of the description; categories likewise. "
        "`numerical_attribute_ranges` gives others.",
        "No word on privacy where the parameter is described. Not reported yet.",
        "datasynthesizer_describes",
        library="datasynthesizer",
    ),
    Finding(
        "unclipped number",
        "noise",
        "AdaClipDPOptimizer counts the unclipped gradients as if they moved by a half",
        "`optimizers/adaclipoptimizer.py`, `add_noise` and `update_max_grad_norm`: noise of "
        "standard deviation `unclipped_num_std` is added to a number that a record changes by 1, "
        "and the sum is divided by the exact `sample_size`. The noise of the gradient is reduced "
        "as Theorem 1 of Andrew et al. (2021) allows if the number is centred, so that a record "
        "moves it by 1/2, and divided by a constant. It shows where `unclipped_num_std` is not far "
        "above half of `noise_multiplier`, which is what the constructor requires; at the batch "
        "size/20 of the paper it is small.",
        "Not reported yet.",
        "adaclip_unclipped",
        library="opacus",
    ),
)

BY_KEY = {finding.key: finding for finding in FINDINGS}

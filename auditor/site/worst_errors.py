"""Errors that break a headline result: which, and what trusting the print costs.

What is printed, what holds and the witness are those of the catalogue; here are a heading and one
paragraph for each.
"""

from __future__ import annotations

ERRORS: dict[str, tuple[str, str]] = {
    "diss-6.3.51-W1/E1": (
        "Wishart noise is not private in the pure sense",
        "Who adds Wishart noise to a covariance matrix for pure DP publishes a matrix that lies "
        "above the private one: some outputs are possible under one data set and impossible under "
        "its neighbour, so no epsilon is attained. The bound that is met instead has a large "
        "delta, whatever n and d.",
    ),
    "wang-2/E2": (
        "Two sums of different lengths undo a truncation",
        "Who codes the smoothed gradient of DP-EM from the displayed formula averages one half of "
        "it over a block and the other half over all records. The two halves are meant to cancel "
        "where a gradient is large; of different lengths they do not, and a single record moves "
        "the update as far as it likes.",
    ),
    "diss-7.2.57/E1": (
        "The same truncation without its scale",
        "The dissertation's version loses the factor s before the correction instead. The effect "
        "is the same: the influence of one record is unbounded, and no noise is large enough.",
    ),
    "diss-3.1.1/E2": (
        "An accountant used outside its range",
        "The moments accountant's closed form for sampled gradients holds for small epsilon only. "
        "The printed parameters leave that range, and there a record that is drawn at all is seen: "
        "the noise that one would add is too small by any factor. An exact accountant gives the "
        "noise that is needed.",
    ),
    "diss-3.1.2/E1": (
        "A gradient step without noise",
        "Who codes the accelerated method with variance reduction from its box adds no noise to "
        "the inner steps, and publishes a function of the data.",
    ),
    "diss-3.1.4/E1": (
        "One of two gradient steps without noise",
        "The accelerated method takes two steps from the same gradient; as printed one of them "
        "uses the exact one, and after one iteration the output tells neighbours apart for sure.",
    ),
    "diss-3.2.6/E1": (
        "A bound of a smooth sensitivity is not smooth",
        "Noise may be scaled to any smooth upper bound of the local sensitivity, and the printed "
        "bound is none: one record changes it by a factor of thousands where a few per cent are "
        "allowed, and the scale of the noise itself gives the record away. The exact smooth "
        "sensitivity of a trimmed mean can be computed and is what the reference uses.",
    ),
    "diss-4.3.29/E1": (
        "Noise that does not grow with the number of steps",
        "The variance of the gradient's noise lacks the factor T of composition. With thousands of "
        "steps, as the method needs, delta is exceeded by orders of magnitude.",
    ),
    "diss-5.1.32/E1": (
        "One bit that rules a value out",
        "The one-bit protocol of the local model sends a bit whose probability reaches 0 for some "
        "data at epsilon = ln 2, and exceeds the claim at every epsilon. A corrected budget inside "
        "the protocol mends it.",
    ),
    "004 Theorem 5.3.6/E1": (
        "Labels that are larger than their bound",
        "Noise on labels is scaled to a bound that the labels of the model class do not have, "
        "unless the errors are as large as the signal. Who takes the class at its word, with the "
        "errors of the experiments, has an epsilon ten times the claimed one; labels have to be "
        "clipped first.",
    ),
    "diss-3.3.12/E1": (
        "A buffer that one record can fill",
        "Pairs are formed with a buffer that is drawn with replacement, so one record may fill it "
        "and decide a whole step. The proof takes an influence that fades like 1/t, which is that "
        "of a buffer drawn without replacement.",
    ),
    "model-mrm/E2": (
        "A weight that is not the posterior",
        "The EM weight of the mixture of regressions lacks a factor 2 in its exponent. Who codes "
        "it as printed has an iteration whose fixed point is not the parameter, at any sample "
        "size: it is 3.5 per cent short at a signal-to-noise ratio of 2. The Gaussian mixture has "
        "the same slip, whose effect is soon gone as the ratio grows.",
    ),
    "diss-3.3.15/E1": (
        "A method that never takes a step",
        "Output perturbation for pairs of records starts from random points, and with the "
        "regularisation of the theorem it needs as many of them as there are records. No step "
        "follows, or a fixed share of the points that are averaged stays random at any sample "
        "size, so that the rate of the theorem is not attained.",
    ),
    "diss-3.2.6/E2": (
        "Trimming a constant number of records is not enough",
        "The rate is claimed for a trimmed mean that leaves out a constant number of records. Its "
        "noise then does not fall with n at all; the number has to grow with log n.",
    ),
    "diss-6.1.46/E1": (
        "The sensitivity of a covariance matrix is the root of 2",
        "Replacing a unit vector moves the upper triangle of x x^T by the root of 2, not by 1. "
        "Gaussian noise that is calibrated to 1 exceeds its delta, in the local model as in the "
        "central one; this is the error that is easiest to copy into code.",
    ),
}
"""Name of an erratum -> heading and paragraph, the worst first."""

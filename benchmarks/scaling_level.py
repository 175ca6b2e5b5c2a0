"""Measure level and power of the scaling question's tests for ``docs/measured/scaling.md``.

    python benchmarks/scaling_level.py

Errors are drawn around an exact power law, their spread equal or changing eight times along the
grid. *Level*: the functional that is tested follows the claim exactly. *Power*: errors that rise
faster than claimed. Least squares on the logarithms of the errors with HC3 and Student's t, the
test before these, is shown for comparison. About 3 CPU minutes; the seeds are fixed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
from scipy import stats

from auditor.statistics.slopes import mean_p_value, median_p_value
from reference._validation import FloatArray

PAGE = Path(__file__).parents[1] / "docs/measured/scaling.md"
START, END = "<!-- tables -->", "<!-- end of tables -->"
CLAIMED = -0.5
LEVELS = (1e-2, 1e-3, 1e-4, 1e-5)
EXCESSES = (0.1, 0.25, 0.5)
GRIDS = ((4, 3), (4, 5), (4, 10), (5, 6), (8, 3), (8, 10))
"""Values, each twice the one before, and repetitions."""

SPREADS = {"equal": (1.0, 1.0), "grows 8 times": (0.125, 1.0), "shrinks 8 times": (1.0, 0.125)}
"""At the two ends of the grid, as shares of the largest."""

CHUNK = 10_000

Draw = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]


class Noise:
    """Errors with known medians and means.

    Parameters
    ----------
    draw : callable
        ``draw(rng, shape)``: samples of one law.
    errors : callable
        ``errors(sample, spread)``, increasing in the sample.
    median : float
        Of the law.
    mean : callable
        ``mean(spread)``, of the errors.
    """

    def __init__(
        self,
        draw: Draw,
        errors: Callable[[FloatArray, FloatArray], FloatArray],
        median: float,
        mean: Callable[[FloatArray], FloatArray],
    ) -> None:
        self.draw, self.errors, self.median, self.mean = draw, errors, median, mean

    def around(
        self, rng: np.random.Generator, runs: int, repetitions: int, spread: FloatArray
    ) -> dict[str, FloatArray]:
        """Return errors whose medians, and the same errors scaled so that their means, are 1."""
        spread = spread[:, None]
        errors = self.errors(self.draw(rng, (runs, spread.size, repetitions)), spread)
        medians = self.errors(np.full_like(spread, self.median), spread)
        return {"median": errors / medians, "mean": errors / self.mean(spread)}


def lognormal(sigma: float) -> Noise:
    """Return exp(sigma s Z)."""
    return Noise(
        lambda rng, shape: rng.normal(size=shape),
        lambda sample, spread: np.exp(sigma * spread * sample),
        0.0,
        lambda spread: np.exp((sigma * spread) ** 2 / 2),
    )


def shifted(draw: Draw, median: float, mean: float) -> Noise:
    """Return 1 + 2 s X of an X >= 0."""
    return Noise(
        draw,
        lambda sample, spread: 1 + 2 * spread * sample,
        median,
        lambda spread: 1 + 2 * spread * mean,
    )


NOISES = {
    "lognormal, σ 0.5": lognormal(0.5),
    "lognormal, σ 1.5": lognormal(1.5),
    "1 + 2s·abs(Student t, 3 d.f.)": shifted(
        lambda rng, shape: np.abs(rng.standard_t(3, size=shape)),
        float(stats.t.ppf(0.75, 3)),
        2 * np.sqrt(3) / np.pi,
    ),
    "1 + 2s·Pareto, exponent 1.5": shifted(
        lambda rng, shape: rng.pareto(1.5, size=shape), 2 ** (1 / 1.5) - 1, 2.0
    ),
}


def old_p_value(values: FloatArray, errors: FloatArray, claimed: float) -> FloatArray:
    """Return the p-value of least squares on log errors with HC3 and Student's t."""
    repetitions = errors.shape[-1]
    x = np.repeat(np.log(values), repetitions)
    y = np.log(errors).reshape(*errors.shape[:-2], -1)
    x = x - x.mean()
    slope = y @ x / (x @ x)
    residuals = y - y.mean(axis=-1, keepdims=True) - slope[..., None] * x
    leverage = 1 / x.size + x**2 / (x @ x)
    error = np.sqrt(((x * residuals / (1 - leverage)) ** 2).sum(axis=-1)) / (x @ x)
    return np.asarray(stats.t.sf((slope - claimed) / error, x.size - 2))


TESTS = {
    "median": ("median", median_p_value),
    "mean": ("mean", mean_p_value),
    "old": ("mean", old_p_value),
    "old, medians": ("median", old_p_value),
}
"""Name -> what follows the claim exactly, and the test."""

COLUMNS = (
    *(("median", level) for level in LEVELS),
    *(("mean", level) for level in LEVELS[:2]),
    *(("old", level) for level in LEVELS[:3]),
    *(("old, medians", level) for level in LEVELS[:3]),
)
"""Columns of the table of levels: tests and levels."""


def alarms(
    noise: str, spread: str, grid: tuple[int, int], excess: float, runs: int, seed: int
) -> dict[str, FloatArray]:
    """Return how many of ``runs`` samples every test flags at each of LEVELS."""
    k, repetitions = grid
    rng = np.random.default_rng([seed, k, repetitions, *noise.encode(), *spread.encode()])
    values = np.exp2(np.arange(k, dtype=np.float64))
    rise = values[:, None] ** (CLAIMED + excess)
    first, last = SPREADS[spread]
    steps: FloatArray = np.linspace(0.0, 1.0, k)
    spreads = np.asarray(first * (last / first) ** steps, dtype=np.float64)
    found = NOISES[noise].around(rng, runs, repetitions, spreads)
    levels = np.array(LEVELS)[:, None]
    return {
        name: (test(values, found[functional] * rise, CLAIMED) <= levels).sum(axis=1)
        for name, (functional, test) in TESTS.items()
    }


def shares(
    cells: list[tuple[str, str, tuple[int, int], float]], runs: int, workers: int
) -> dict[tuple[str, str, tuple[int, int], float], dict[str, FloatArray]]:
    """Return the share of alarms in every cell, tests and levels as in :func:`alarms`."""
    chunks = max(1, runs // CHUNK)
    size = runs // chunks
    jobs = [(*cell, size, seed) for cell in cells for seed in range(chunks)]
    counts = joblib.Parallel(n_jobs=workers)(joblib.delayed(alarms)(*job) for job in jobs)
    return {
        cell: {
            name: sum(count[name] for count in counts[i * chunks : (i + 1) * chunks])
            / (chunks * size)
            for name in TESTS
        }
        for i, cell in enumerate(cells)
    }


def share(value: float) -> str:
    """Write a share of alarms."""
    return "0" if value == 0 else f"{value:.1g}" if value < 0.01 else f"{value:.2g}"


def level_table(runs: int, workers: int) -> str:
    """Return the tables of alarms where nothing is wrong."""
    cells = [(n, s, g, 0.0) for n in NOISES for s in SPREADS for g in GRIDS]
    found = shares(cells, runs, workers)

    def row(label: str, chosen: list[tuple[str, str, tuple[int, int], float]]) -> str:
        worst = {name: np.max([found[cell][name] for cell in chosen], axis=0) for name in TESTS}
        figures = (share(worst[name][LEVELS.index(level)]) for name, level in COLUMNS)
        return f"| {label} | " + " | ".join(figures) + " |"

    head = " | ".join(f"{name}, {level:g}" for name, level in COLUMNS) + " |"
    rule = "|---" * (2 + len(COLUMNS)) + "|"
    names = ", ".join(f"{k} x {r}" for k, r in GRIDS)
    return "\n".join(
        [
            "### Alarms where the claim is exactly true",
            "",
            f"Share of {runs:,} samples a cell; the largest over grids of values x repetitions "
            f"{names}.",
            "",
            "| noise | spread | " + head,
            rule,
            *(row(f"{n} | {s}", [(n, s, g, 0.0) for g in GRIDS]) for n in NOISES for s in SPREADS),
            "",
            "The same by grid, the largest over noises and spreads:",
            "",
            "| values | repetitions | " + head,
            rule,
            *(
                row(f"{k} | {r}", [(n, s, (k, r), 0.0) for n in NOISES for s in SPREADS])
                for k, r in GRIDS
            ),
        ]
    )


def power_table(runs: int, workers: int) -> str:
    """Return the table of alarms at 1% where the error rises faster than claimed."""
    noises = list(NOISES)[:2]
    grids = ((4, 5), (4, 10), (4, 20), (8, 3), (8, 10))
    cells = [(n, "equal", g, e) for n in noises for g in grids for e in EXCESSES]
    found = shares(cells, runs, workers)
    names = ("median", "mean", "old")
    columns = [f"{name}, +{excess:g}" for name in names for excess in EXCESSES]
    return "\n".join(
        [
            "### Power at 1%",
            "",
            f"Share of {runs:,} samples flagged at 1%, as a screen would, if the exponent is .1, "
            ".25 or .5 above the claim; equal spread.",
            "",
            "| noise | values | repetitions | " + " | ".join(columns) + " |",
            "|---" * (3 + len(columns)) + "|",
            *(
                f"| {n} | {k} | {r} | "
                + " | ".join(
                    f"{found[n, 'equal', (k, r), e][name][0]:.2f}"
                    for name in names
                    for e in EXCESSES
                )
                + " |"
                for n in noises
                for k, r in grids
            ),
        ]
    )


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60_000, help="samples of a cell of levels")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    tables = "\n\n".join(
        [
            level_table(options.runs, options.workers),
            power_table(options.runs // 20, options.workers),
        ]
    )
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{START}\n\n{tables}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Measure what the scaling recipes notice; write the twins of ``docs/measured/scaling.md``.

    python benchmarks/scaling_twins.py [ID ...]

Every recipe of a corrected form, and its twin, with the repetitions of the quick tier at three
seeds. About 15 CPU minutes; with IDs the rows are printed and the page is left as it is.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np

from auditor.core.case import Case, Scaling
from auditor.core.context import Context
from auditor.described import build_case, builders
from auditor.questions.scaling import ask_twin, audit, measure
from auditor.statistics.slopes import least_squares, slope_p_value
from auditor.suite.plan import number_of_tests

PAGE = Path(__file__).parents[1] / "docs/measured/scaling.md"
START, END = "<!-- twins -->", "<!-- end of twins -->"
SEEDS = (0, 1, 5)
HEAD = (
    "algorithm", "recipe", "claim", "slope", "p", "twin: noise times", "slope", "p, whole test",
    "refused", "noticed after", "tier", "CPU s", "CPU s of the twin",
)  # fmt: skip


def recipe_rows(identifier: str) -> list[str]:
    """Return the rows of one algorithm."""
    case = build_case(identifier)
    recipes = [recipe for recipe in case.scaling if recipe.erratum is None]
    return ["| " + " | ".join(cells(case, recipe)) + " |" for recipe in recipes]


def cells(case: Case, recipe: Scaling) -> Iterator[str]:
    """Yield the cells of a row."""
    tests = number_of_tests(case, "corrected")
    of_form = sum(other.form == recipe.form for other in case.scaling)
    path = (case.id, recipe.form, "scaling", recipe.name, recipe.claim)
    # recipes of a form share its level
    contexts = [Context(seed=seed, tests=tests * of_form, path=path) for seed in SEEDS]
    values = np.asarray(recipe.values, dtype=np.float64)
    yield case.id
    yield recipe.name
    yield f"{recipe.claimed_slope:.3f}"
    start = time.process_time()
    errors = [
        measure(recipe, context.seed_sequence().spawn(len(values) * recipe.repetitions))
        for context in contexts
    ]
    seconds = (time.process_time() - start) / len(SEEDS) / recipe.repetitions
    yield ", ".join(f"{least_squares(values, e, 'median')[0]:.2f}" for e in errors)
    yield ", ".join(f"{slope_p_value(values, e, recipe.claimed_slope):.2g}" for e in errors)
    assert recipe.twin is not None
    yield recipe.twin.change.removeprefix("the noise of every release times ")
    # as a violation that is expected
    twin = replace(recipe, error=recipe.twin.error, erratum=0)
    whole = audit(replace(case, scaling=(twin,)), recipe.form, contexts[0])
    start = time.process_time()
    answers = [ask_twin(replace(recipe, expensive=False), context) for context in contexts]
    taken = (time.process_time() - start) / len(SEEDS)
    found = [answer for answer in answers if answer is not None]
    yield ", ".join(f"{answer['slope']:.2f}" for answer in found)
    yield f"{whole.p_value:.1g}"
    yield "yes" if whole.status == "violated" else "no"
    yield ", ".join(
        f"{answer['asked']}x{answer['repetitions']}" if answer["noticed"] else "not"
        for answer in found
    )
    yield "full" if recipe.expensive else "quick"
    yield f"{3 * seconds:.2f}"  # of a first look
    yield f"{taken:.2f}"


def main() -> None:
    """Write the table, or print rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    chosen = options.ids or list(builders())
    found = joblib.Parallel(options.workers, return_as="generator")(
        joblib.delayed(recipe_rows)(identifier) for identifier in chosen
    )
    rows = []
    for more in found:
        print("".join(f"{row}\n" for row in more), end="", flush=True)
        rows += more
    if options.ids:
        return
    head = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    after = rest.partition(END)[2]
    table = "\n".join(head + rows)
    PAGE.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

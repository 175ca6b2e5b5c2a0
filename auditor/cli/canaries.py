"""``touchstone canaries``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from auditor.cli.check import STATUS
from auditor.cli.options import FiniteRange, Format, answer_options
from auditor.cli.terminal import marked, output, print_json
from auditor.core.errors import InputError


@click.command()
@click.argument("scores", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--epsilon", type=FiniteRange(min=0, min_open=True), help="Claimed at --delta, > 0.")
@click.option("--mu", type=FiniteRange(min=0, min_open=True), help="Claim mu-Gaussian DP.")
@click.option(
    "--delta",
    type=FiniteRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    help="Delta at which epsilon is measured, in [0, 1).",
)
@click.option(
    "--guesses",
    type=click.IntRange(min=1),
    help="Number of coins guessed, chosen before the scores are seen; by default five numbers "
    "are tried and paid for.",
)
@answer_options("A true claim is refuted with probability at most 1 - this.")
def canaries(
    scores: Path,
    epsilon: float | None,
    mu: float | None,
    delta: float,
    guesses: int | None,
    seed: int,
    confidence: float,
    output_format: Format,
    debug: bool,
) -> None:
    """Print a lower bound on epsilon, from one training run with many canaries.

    SCORES is a CSV file with the columns included (0 or 1, each canary's own fair coin) and score
    (the higher, the likelier included; computed without the coins). With --epsilon or --mu the
    claim is judged. Exit status: 0 measured, or the claim holds up, 1 if it is violated, 4 if so
    few canaries could not have shown a violation, 2 bad input, 3 internal error.
    """
    from auditor.checking.canaries import measure_canaries, read_scores

    if epsilon is not None and mu is not None:
        raise InputError("give one claim, --epsilon or --mu")
    inside, outside = read_scores(scores)
    found = measure_canaries(
        inside, outside, delta=delta, confidence=confidence, guesses=guesses, seed=seed
    )
    claimed = epsilon is not None or mu is not None
    status, reason = found.judge(epsilon=epsilon, mu=mu) if claimed else (None, None)
    if output_format == "json":
        claim = {"epsilon": epsilon, "mu": mu, "status": status, "reason": reason}
        print_json({**found.to_json(), "claim": claim if claimed else None})
    elif status is None:
        output.print(escape(found.summary), soft_wrap=True)
    else:
        line = f"{marked(status)} [bold]{status}[/]  {escape(f'{reason}; {found.summary}')}"
        output.print(line, soft_wrap=True)
    raise click.exceptions.Exit(0 if status is None else STATUS[status])

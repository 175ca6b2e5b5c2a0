"""Conjunctions, definitions and derivations in words."""

from __future__ import annotations

from dataclasses import replace

from proofs_checks.outcome import STRENGTH, Outcome


def every(*parts: Outcome) -> Outcome:
    """Return the conjunction: the first part that fails, or the weakest level of all."""
    if not parts:
        raise ValueError("a conjunction needs a part")
    for part in parts:
        if not part.holds:
            return part
    weakest = max(parts, key=lambda part: part.weakness)
    if len(parts) == 1:
        return weakest
    confidences = [part.confidence for part in parts if part.confidence is not None]
    alpha = sum(1 - confidence for confidence in confidences)
    return replace(
        weakest,
        detail="; ".join(dict.fromkeys(part.detail for part in parts)),
        shows="",
        decided=None,
        steps=tuple(("", part) for part in parts),
        confidence=1 - alpha if weakest.confidence is not None else None,
    )


def definition(*examples: Outcome) -> Outcome:
    """Return the outcome of a definition or an assumption: what was checked of it, by example."""
    found = every(*examples)
    if not found.holds:
        return found
    detail = f"{found.evidence}: {found.detail}"
    return Outcome(
        True,
        "definition",
        detail,
        shows=found.shows,
        decided=found.decided,
        steps=found.steps,
    )


def derived(**steps: Outcome) -> Outcome:
    """Return the outcome of a derivation in the docstring of the check, whose steps were checked.

    Each step is named as in the docstring; the detail says at which level each was checked.
    """
    if not steps:
        raise ValueError("a derivation needs a checked step")
    for step in steps.values():
        if not step.holds:
            return step
    named = tuple((name.replace("_", " "), step) for name, step in steps.items())
    shown = "; ".join(f"{name}: {step.evidence} ({step.detail})" for name, step in named)
    levels = [step.weakest or step.level for step in steps.values()]
    weakest = max(levels, key=STRENGTH.index)
    return Outcome(True, "derived, step checked", shown, weakest=weakest, steps=named)

"""The statements that an argument cites."""

from __future__ import annotations

import pytest

from proofs_checks import cited as module
from proofs_checks.cited import argument, cited
from proofs_checks.outcome import Outcome
from proofs_checks.statement import Checked, Statement, find
from proofs_checks.vocabulary import searched


def arguing(text: str) -> Statement:
    def check() -> Outcome:
        return searched(0, 1, tried=1, what="a number")

    check.__doc__ = text
    return Statement(
        "004", "Lemma 0.0", "1", "1", "remark", "x", "true", of_printed=Checked("x", check)
    )


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("By Lemma 3.2.1 and (3.4).", ["004 Lemma 3.2.1", "004 (3.4)"]),
        ("Lemmas 3.2.1 and 3.2.2, 000 Lemma 19.", ["004 Lemma 3.2.1", "004 Lemma 3.2.2"]),
        ("Theorem 1 of somebody; Lemma 0.0 itself", []),
        ("Lemma\n    3.2.1 over a line's end", ["004 Lemma 3.2.1"]),
    ],
)
def test_numbers_are_keys(text: str, keys: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"004 Lemma 3.2.1", "004 Lemma 3.2.2", "004 (3.4)", "004 Lemma 0.0"}
    monkeypatch.setattr(module, "lookup", lambda key: key if key in known else None)
    assert list(cited(arguing(text))) == keys


def test_a_number_of_another_paper_is_its() -> None:
    (key,) = cited(arguing("The norm is that of 000 Lemma 19."))
    assert key == "000 Lemma 19"


def test_an_argument_follows_what_it_refers_to() -> None:
    checked = find("000 Theorem 5").of_printed
    assert checked is not None
    assert ":func:`proofs_checks." in str(checked.check.__doc__)
    words = argument(checked)
    assert len(words) > len(str(checked.check.__doc__))
    assert ":func:" not in words
    assert "`" not in words

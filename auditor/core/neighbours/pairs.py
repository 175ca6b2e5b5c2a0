"""Neighbouring data sets, and a Hypothesis strategy for pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

from auditor.core.errors import InputError
from auditor.core.neighbours.domains import Domain, Product, Table
from auditor.core.neighbours.records import bare, with_label, with_one_attribute
from reference._validation import require_count
from reference.privacy.guarantees import Model, Relation

RelationName = Literal["replace", "add-remove", "replace-label"]


def as_relation(relation: Relation | str) -> Relation:
    """Return a relation given by its name, see :data:`RelationName`, or as it is written.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    named: dict[RelationName, Relation] = {
        "replace": Relation.REPLACE_ONE,
        "add-remove": Relation.ADD_OR_REMOVE_ONE,
        "replace-label": Relation.REPLACE_LABEL,
    }
    if isinstance(relation, Relation):
        return relation
    for name, known in named.items():
        if relation in (name, known.value):
            return known
    known_names = ", ".join(map(repr, named))
    raise InputError(f"relation must be one of {known_names}, got {relation!r}")


@dataclass(frozen=True)
class Neighbourhood:
    """The pairs that are neighbours: their domain, their size, and how they differ.

    Parameters
    ----------
    domain : Domain or SearchStrategy
        With a Hypothesis strategy of records of any type, a data set is a list.
    n : int, optional
        Number of records. Without it a data set is one bare record, as in the local model (one
        user, two inputs); but all rows of a :class:`Table`, and the total of :class:`Counts`.
    relation : Relation
    group : int
        How many records differ: as many are replaced, or removed.

    Raises
    ------
    InputError
        For what is no domain or no number of records, for a group larger than that, and for
        replace-label on records of which no part is a label: they must be a :class:`Product`.
    """

    domain: Domain | st.SearchStrategy[Any]
    n: int | None = None
    relation: Relation = Relation.REPLACE_ONE
    group: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.domain, (Domain, st.SearchStrategy)):
            raise InputError(
                "a domain must be one of auditor.core.neighbours or a Hypothesis strategy of "
                f"records, got {type(self.domain).__name__}"
            )
        if self.relation is Relation.REPLACE_LABEL and not isinstance(self.domain, Product):
            raise InputError(
                "replace-label needs records with a label: a Product whose last part is that of "
                f"the labels, got {type(self.domain).__name__}"
            )
        try:
            if self.n is not None:
                require_count("n", self.n)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None
        if self.group > self.records:
            raise InputError(
                f"a group of {self.group} needs data sets of as many records, got n={self.records}"
            )

    @property
    def _default_size(self) -> int | None:
        return self.domain.size if isinstance(self.domain, Domain) else None

    @property
    def records(self) -> int:
        """Number of records of the larger data set."""
        return self.n or self._default_size or 1

    def whole(self) -> list[Any] | None:
        """Return the records of every larger data set, if there is no choice."""
        return list(range(self.records)) if self._is_whole else None

    @property
    def _is_whole(self) -> bool:
        return isinstance(self.domain, Table) and self.n is None

    def strategy(self) -> st.SearchStrategy[Any]:
        """Return a Hypothesis strategy for records."""
        return self.domain.strategy() if isinstance(self.domain, Domain) else self.domain

    def pair(self, records: list[Any], index: int, new: Any = None) -> tuple[Any, Any]:
        """Return the data set of ``records``, and the one without or with another record ``index``.

        Of a group the records that follow change as well, round the end of the data set. In the
        first data set they are the same as record ``index``, unless it is a whole table.

        Raises
        ------
        InputError
            If the second data set would be empty.
        """
        replaced = self.relation is not Relation.ADD_OR_REMOVE_ONE
        if self.relation is Relation.REPLACE_LABEL:
            new = with_label(records[index], new)
        if not replaced and len(records) <= self.group:
            least = "two" if self.group == 1 else str(self.group + 1)
            raise InputError(f"add/remove-one needs at least {least} records, got n={len(records)}")
        if self.n is None and self._default_size is None:
            return bare(records[0]), bare(new)
        group = {(index + step) % len(records) for step in range(self.group)}
        first, second = list(records), []
        for place, record in enumerate(records):
            if place not in group:
                second.append(record)
                continue
            if not self._is_whole:
                first[place] = records[index]
            second += [new] if replaced else []
        return self._data_set(first), self._data_set(second)

    def _data_set(self, records: list[Any]) -> Any:
        return self.domain.data_set(records) if isinstance(self.domain, Domain) else list(records)


def neighbours(
    domain: Domain | st.SearchStrategy[Any],
    *,
    n: int | None = None,
    relation: Relation | RelationName = Relation.REPLACE_ONE,
    model: Model = Model.CENTRAL,
) -> st.SearchStrategy[tuple[Any, Any]]:
    """Return a Hypothesis strategy for pairs of neighbouring data sets of ``n`` records.

    Parameters
    ----------
    domain : Domain or SearchStrategy
        Where every record lies. With a strategy of records of any type a data set is a list.
    n : int, optional
        Number of records. Without it a data set is one bare record, as in the local model (one
        user, two inputs); but all rows of a :class:`Table`, and the total of :class:`Counts`.
    relation : Relation, "replace", "add-remove" or "replace-label"
        Replace-one, add/remove-one (the second data set then has n - 1 records), or replace-one of
        the last part of a record alone.
    model : Model
        With ``Model.LOCAL_ATTRIBUTE`` the replaced record keeps all attributes but one.

    Raises
    ------
    InputError
        When the strategy is made, for what is no domain, number of records or relation.
    ValueError
        When it is drawn from, for add/remove-one with fewer than two records.

    Examples
    --------
    >>> from hypothesis import given
    >>> from auditor.core.neighbours import Box, differing_records
    >>> @given(neighbours(Box((2,), 0.0, 1.0), n=3))
    ... def check(pair):
    ...     assert len(differing_records(*pair)) <= 1
    >>> check()
    """
    return _pairs_of(Neighbourhood(domain, n, as_relation(relation)), model)


@st.composite
def _pairs_of(draw: st.DrawFn, setting: Neighbourhood, model: Model) -> tuple[Any, Any]:
    records = setting.whole()
    if records is None:
        records = [draw(setting.strategy()) for _ in range(setting.records)]
    index = draw(st.integers(0, len(records) - 1))
    if setting.relation is Relation.ADD_OR_REMOVE_ONE:
        return setting.pair(records, index)
    new = draw(setting.strategy())
    if model is Model.LOCAL_ATTRIBUTE:
        size = sum(np.size(part) for part in (new if isinstance(new, tuple) else (new,)))
        new = with_one_attribute(records[index], new, draw(st.integers(0, size - 1)))
    return setting.pair(records, index, new)

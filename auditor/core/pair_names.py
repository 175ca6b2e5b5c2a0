"""The names of a pair's two data sets and of the two directions of a comparison, by index."""

from __future__ import annotations

SIDES = ("D", "D'")

DIRECTIONS = ("D against D'", "D' against D")
"""The first data set is the one that the runs are made on."""

"""Texts that stand for a missing value."""

from __future__ import annotations

from typing import Final

MISSING: Final = ("", "NA", "NaN")
"""Missing in every column of a text table."""

MARKS_AMONG_NUMBERS: Final = (
    *("?", "-", "--", ".", "n/a", "N/A", "#N/A", "#NA", "NULL", "null", "None", "<NA>", "nan"),
    *("na", "none", "\N{EN DASH}", "\N{EM DASH}"),
    *MISSING,
)
"""Missing in a column whose other values are numbers; labels in a column of text."""

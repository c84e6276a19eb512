"""Rows of the data that an evaluation leaves out on request, such as rows without a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from thetahat.cautions import ROWS_LEFT_OUT, SAMPLE_ROWS_LEFT_OUT, SMALL_SOURCES_LEFT_OUT, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.types import BoolArray, IntArray, Label

MissingRows: TypeAlias = Literal["refuse", "leave_out"]
"""What happens to rows without a target, a source or another value that is no feature."""

SmallSourceRows: TypeAlias = Literal["keep", "leave_out"]
"""What happens to sources with a single row."""

MIN_ROWS_PER_SOURCE: Final = 2
"""Fewest rows of a source from which a variance within it can be computed."""

MAX_NAMED_ROWS: Final = 10
"""Largest number of rows or sources that are named; all are counted."""

FEATURES: Final = "features"
"""The name under which rows that lack any feature are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsWithoutValue:
    """Rows that have no value in one column."""

    n: int
    """Number of such rows."""
    rows: tuple[int, ...]
    """The first of them, ten at most; rows count from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesWithOneRow:
    """Sources that have a single row."""

    n: int
    """Number of such sources."""
    sources: tuple[Label, ...]
    """The first of them, ten at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The rows that are not part of an evaluation."""

    n_rows: int
    """Number of rows that are left out."""
    n_remaining: int
    """Number of rows that the evaluation uses."""
    missing: Mapping[str, RowsWithoutValue]
    """Rows without a value, by the column (``target``, ``source``, ...) that has none; a row that
    lacks several values is counted under each of them."""
    small_sources: SourcesWithOneRow | None = None
    """Sources with a single row; None if there is none."""

    def cautions(self) -> list[Caution]:
        """Return the cautions that name and count what is left out."""
        cautions: list[Caution] = []
        if self.missing:
            details = self.describe_missing()
            cautions.append(ROWS_LEFT_OUT(details=details, n_remaining=self.n_remaining))
        small = self.small_sources
        if small is not None:
            names = _list_first("source", small.n, [repr(label) for label in small.sources])
            cautions.append(SMALL_SOURCES_LEFT_OUT(n=small.n, names=names))
        return cautions

    def describe_missing(self) -> str:
        """Return for example ``no target in rows 3, 8; incomplete features in row 5``."""
        return "; ".join(
            ("incomplete features" if column == FEATURES else f"no {column}")
            + f" in {_list_first('row', rows.n, rows.rows)}"
            for column, rows in self.missing.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutOfSamples:
    """The rows of a source and of a target sample that are not part of an evaluation."""

    source: LeftOut | None = None
    """Rows of the source sample; None if all of them are used."""
    target: LeftOut | None = None
    """Rows of the target sample; None if all of them are used."""

    def cautions(self) -> list[Caution]:
        """Return the cautions that name and count what is left out of each sample."""
        return [
            SAMPLE_ROWS_LEFT_OUT(
                sample=sample, details=left_out.describe_missing(), n_remaining=left_out.n_remaining
            )
            for sample, left_out in (("source", self.source), ("target", self.target))
            if left_out is not None
        ]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptRows:
    """The rows that are kept, and a record of the rows that are left out."""

    index: IntArray
    """(n_remaining,) numbers of the rows that are kept, ascending."""
    left_out: LeftOut
    """What is left out."""


def find_missing(values: Sequence[Any] | np.ndarray) -> BoolArray:
    """Return (n,) whether each value of a raw column is missing: None, NaN or NaT."""
    if not isinstance(values, np.ndarray) or values.dtype.kind == "O":
        return np.fromiter(
            (v is None or (isinstance(v, float) and v != v) for v in values),  # noqa: PLR0124 - NaN
            dtype=bool,
            count=len(values),
        )
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    return np.zeros(len(values), dtype=bool)


def refuse_missing(missing: Mapping[str, BoolArray]) -> None:
    """Raise ``InvalidParameter`` for the first missing value, and say how to leave rows out.

    ``missing`` says by column which of the (n,) rows have no value.
    """
    for column, is_missing in missing.items():
        if is_missing.any():
            row, n = int(np.argmax(is_missing)), int(is_missing.sum())
            others = "" if n == 1 else f", nor in {_count(n - 1, 'other row')}"
            raise InvalidParameter(
                f"The {column} has no value in row {row}{others}. Add what is missing, or set "
                "missing to 'leave_out' to leave such rows out.",
                loc=(column, row),
            )


def fill_missing(
    column: str, values: Sequence[Any] | np.ndarray, missing: BoolArray
) -> Sequence[Any] | np.ndarray:
    """Return a raw column whose missing values are replaced by its first value.

    Rows with such values are left out later. Until then the column can be read as a whole, so that
    messages have the row numbers of the data.
    """
    if not missing.any():
        return values
    if missing.all():
        raise InsufficientData(
            f"The {column} has no value in any of the {len(missing)} rows. Name a column with "
            "values.",
            loc=(column,),
        )
    first = values[int(np.argmin(missing))]
    if isinstance(values, np.ndarray):
        filled = values.copy()
        filled[missing] = first
        return filled
    return [first if lacks else v for v, lacks in zip(values, missing, strict=True)]


def choose_rows(
    n: int,
    missing: Mapping[str, BoolArray],
    source: np.ndarray | None = None,
    repeat: np.ndarray | None = None,
) -> KeptRows | None:
    """Return the rows to keep; None if no row is left out.

    Parameters
    ----------
    n : int
        Number of rows.
    missing : mapping of str to ndarray of bool
        (n,) whether each row has no value, by column; such rows are left out.
    source : ndarray or None
        (n,) labels; sources with fewer than two rows among the others are left out too.
    repeat : ndarray or None
        (n,) labels; a source needs its two rows in every repeat where it has any.
    """
    kept = np.ones(n, dtype=bool)
    for is_missing in missing.values():
        kept &= ~is_missing
    small: tuple[Label, ...] = ()
    if source is not None:
        small = _find_small_sources(source, repeat, kept)
        kept &= ~np.isin(source, np.array(small, dtype=source.dtype))
    if kept.all():
        return None
    index = np.flatnonzero(kept)
    left_out = LeftOut(
        n_rows=n - len(index),
        n_remaining=len(index),
        missing={
            column: RowsWithoutValue(
                n=int(rows.sum()), rows=tuple(np.flatnonzero(rows)[:MAX_NAMED_ROWS].tolist())
            )
            for column, rows in missing.items()
            if rows.any()
        },
        small_sources=SourcesWithOneRow(n=len(small), sources=small[:MAX_NAMED_ROWS])
        if small
        else None,
    )
    if not len(index):
        raise InsufficientData(
            f"All {n} rows would be left out: "
            + " ".join(caution.message for caution in left_out.cautions()),
            loc=("missing",) if left_out.missing else ("small_sources",),
            value="leave_out",
        )
    return KeptRows(index=index, left_out=left_out)


def _find_small_sources(
    source: np.ndarray, repeat: np.ndarray | None, kept: BoolArray
) -> tuple[Label, ...]:
    """Return the sources with fewer than two of the kept rows in a repeat, in order."""
    counts: dict[tuple[Any, Any], int] = {}
    labels = source.tolist()
    repeats = [None] * len(labels) if repeat is None else repeat.tolist()
    for row in np.flatnonzero(kept).tolist():
        key = labels[row], repeats[row]
        counts[key] = counts.get(key, 0) + 1
    small = (label for (label, _), n in counts.items() if n < MIN_ROWS_PER_SOURCE)
    return tuple(dict.fromkeys(small))


def _list_first(noun: str, n: int, first: Sequence[object]) -> str:
    """Return for example ``rows 3, 8 and 2 more``."""
    names = ", ".join(str(name) for name in first)
    more = f" and {n - len(first)} more" if n > len(first) else ""
    return f"{noun if n == 1 else noun + 's'} {names}{more}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"

"""The fields that say which rows are left out, and the reading of columns with missing values."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from pydantic import Field

from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc
from thetahat.tables.columns import RawColumn
from thetahat.values.left_out_rows import (
    KeptRows,
    MissingRows,
    SmallSourceRows,
    choose_rows,
    fill_missing,
    find_missing,
    refuse_missing,
)
from thetahat.values.types import BlockKind, BoolArray
from thetahat_service.schemas.base import Schema

LEAVE_OUT: Final = "leave_out"


class LeftOutDataFields(Schema):
    """Which rows of data for learners are left out."""

    missing: MissingRows = Field(
        "refuse",
        description="What happens if a row has no target, source, fold, cluster, time or weight: "
        "`refuse` refuses the data, `leave_out` leaves such rows out. The result names and counts "
        "them in left_out. Missing features are for an impute step.",
    )
    small_sources: SmallSourceRows = Field(
        "keep",
        description="What happens to sources with a single row, with which no variance within "
        "sources (theta_A, theta_B) can be computed: `keep`, or `leave_out` to leave them out. The "
        "result names and counts them in left_out.",
    )


class LeftOutLossFields(Schema):
    """Which rows of losses or predictions are left out."""

    missing: MissingRows = Field(
        "refuse",
        description="What happens if a row has no block, repeat, instance or cluster, or no value "
        "of some model: `refuse` refuses the request, `leave_out` leaves such rows out for every "
        "model. The result names and counts them in left_out.",
    )
    small_sources: SmallSourceRows = Field(
        "keep",
        description="What happens to sources with a single row (in a repeat), with which no "
        "variance within sources (theta_A, theta_B) can be computed: `keep`, or `leave_out` to "
        "leave them out. The result names and counts them in left_out.",
    )


class LeftOutSampleFields(Schema):
    """Whether incomplete rows of a source and a target sample are left out."""

    missing: MissingRows = Field(
        "refuse",
        description="What happens if a row of a sample has a missing feature, or no y, weight, "
        "source or fold where the sample has them: `refuse` refuses the samples, `leave_out` "
        "leaves such rows out. The result names and counts them in left_out.",
    )


class ColumnReader:
    """Fills the missing values of the columns of one request, and remembers where they were.

    The rows with such values are left out when all columns are read, so that messages about other
    values have the row numbers of the request. If missing values are refused, ``fill`` raises.

    Parameters
    ----------
    fields : LeftOutLossFields
        The request.
    """

    def __init__(self, fields: LeftOutLossFields) -> None:
        self.leaves_out = fields.missing == LEAVE_OUT
        self.leaves_out_small_sources = fields.small_sources == LEAVE_OUT
        self._missing: dict[str, BoolArray] = {}

    def fill(self, column: str, values: RawColumn, loc: Loc) -> RawColumn:
        """Return a column without missing values.

        ``column`` is its name in messages and in the result, where columns of one name are counted
        together, and ``loc`` its path in the request.
        """
        missing = find_missing(values)
        with located_errors({column: loc}, default=loc):
            if not self.leaves_out:
                refuse_missing({column: missing})
            filled = fill_missing(column, values, missing)
        earlier = self._missing.get(column)
        if earlier is not None and len(earlier) == len(missing):
            missing = missing | earlier
        self._missing[column] = missing
        return filled

    def choose_rows(
        self, n: int, kind: BlockKind, block: Any | None, repeat: Any | None
    ) -> KeptRows | None:
        """Return the rows to keep of n; None if no row is left out."""
        source = None
        if self.leaves_out_small_sources:
            if kind is not BlockKind.SOURCE or block is None:
                raise InvalidParameter(
                    "The option small_sources is for blocks that are sources, and the blocks are "
                    f"{kind.value} blocks. Set blocks to 'source', or leave small_sources out.",
                    loc=("small_sources",),
                    value=LEAVE_OUT,
                )
            source = _convert_to_labels(block)
        repeats = None if repeat is None else _convert_to_labels(repeat)
        return choose_rows(n, self._missing, source, repeats)


def keep_rows(values: Any, kept_rows: KeptRows | None) -> Any:
    """Return the kept rows of a column, which is a list, an array or None."""
    if values is None or kept_rows is None:
        return values
    if isinstance(values, np.ndarray):
        return values[kept_rows.index]
    return [values[i] for i in kept_rows.index.tolist()]


def _convert_to_labels(labels: Any) -> np.ndarray:
    if isinstance(labels, np.ndarray):
        return labels
    return np.fromiter(labels, dtype=object, count=len(labels))

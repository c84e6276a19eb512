"""The path in the request of an error about a part of it.

Code that reads fields of a request raises errors with the path of the wrong field. A function of
the library knows no request: it is called inside a context manager of this module or of
:mod:`thetahat.error_paths`, which turn the name of its argument into the path of a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from thetahat.error_paths import located_errors, relocated_errors
from thetahat.errors import EvaluationError, Loc
from thetahat.values.left_out_rows import KeptRows
from thetahat_service.errors import FieldError, InvalidRequest


@contextmanager
def locate_cells_by_row(names: Sequence[str]) -> Iterator[None]:
    """Turn the place of a cell of a table whose rows are in the request: row first, then column.

    The library names a feature and a row, as in a table of columns.
    """

    def relocate(loc: Loc) -> Loc:
        match loc:
            case ("features", str(name), int(row)) if name in names:
                return ("features", row, names.index(name))
        return loc

    with relocated_errors(relocate):
        yield


@contextmanager
def number_rows_as_sent(kept_rows: KeptRows | None) -> Iterator[None]:
    """Give errors about a row that is kept the number that it has in the request."""

    def relocate(loc: Loc) -> Loc:
        row = _find_row(loc)
        return loc if kept_rows is None or row is None else (*loc[:-1], int(kept_rows.index[row]))

    with relocated_errors(relocate):
        try:
            yield
        except EvaluationError as error:
            row = _find_row(error.loc)
            if kept_rows is not None and row is not None:
                sent_row = int(kept_rows.index[row])
                error.message = re.sub(rf"\brow {row}\b", f"row {sent_row}", error.message)
                error.args = (error.message,)
            raise


def _find_row(loc: Loc) -> int | None:
    return loc[-1] if loc and isinstance(loc[-1], int) else None


@contextmanager
def locate_errors_within(path: Loc) -> Iterator[None]:
    """Prepend this path to the paths of errors raised while a part of the request is read."""
    try:
        with located_errors(within=path):
            yield
    except InvalidRequest as refusal:
        faults = tuple(FieldError((*path, *f.loc), f.message, f.value) for f in refusal.errors)
        raise InvalidRequest(refusal.message, faults) from None

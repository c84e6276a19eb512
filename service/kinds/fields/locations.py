"""The path in the request of an error that the library raises.

Code that reads fields of a request raises errors with the path of the wrong field. A function of
the library knows no request: ``loc`` of its errors is the name of an argument, followed by a row
or a key. The service calls such a function inside one of these context managers, which turn that
``loc`` into a path. Nothing else changes the ``loc`` of an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from service.errors import FieldError, InvalidRequest
from thetahat.errors import EvaluationError, Loc

NO_PATHS: Final[Mapping[str, Loc]] = MappingProxyType({})


@contextmanager
def located_errors(
    paths: Mapping[str, Loc] = NO_PATHS, *, within: Loc = (), default: Loc | None = None
) -> Iterator[None]:
    """Set the ``loc`` of errors of the library to the path of the field with the wrong argument.

    Parameters
    ----------
    paths : mapping of str to tuple
        The path in the request by argument. A key such as ``columns.source`` is for errors whose
        ``loc`` begins with these two parts.
    within : tuple
        The path of the object whose fields have the names of all other arguments.
    default : tuple or None
        The path for errors that name no argument; ``within`` if it is None.
    """
    try:
        yield
    except EvaluationError as error:
        if error.loc:
            error.loc = _find_path(error.loc, paths, within)
        else:
            error.loc = within if default is None else default
        raise


def _find_path(loc: Loc, paths: Mapping[str, Loc], within: Loc) -> Loc:
    """Replace the longest beginning of ``loc`` that is a key of ``paths``."""
    for length in range(len(loc), 0, -1):
        key = ".".join(map(str, loc[:length]))
        if key in paths:
            return (*paths[key], *loc[length:])
    return (*within, *loc)


@contextmanager
def cells_located_by_row(names: Sequence[str]) -> Iterator[None]:
    """Turn the place of a cell of a table whose rows are in the request: row first, then column.

    The library names a feature and a row, as in a table of columns.
    """
    try:
        yield
    except EvaluationError as error:
        match error.loc:
            case ("features", str(name), int(row)) if name in names:
                error.loc = ("features", row, names.index(name))
        raise


@contextmanager
def errors_located_at(path: Loc) -> Iterator[None]:
    """Set the ``loc`` of errors of the library to this path, whichever argument they name."""
    try:
        yield
    except EvaluationError as error:
        error.loc = path
        raise


@contextmanager
def errors_within(path: Loc) -> Iterator[None]:
    """Prepend this path to the paths of errors raised while a part of the request is read."""
    try:
        with located_errors(within=path):
            yield
    except InvalidRequest as refusal:
        faults = tuple(FieldError((*path, *f.loc), f.message, f.value) for f in refusal.errors)
        raise InvalidRequest(refusal.message, faults) from None

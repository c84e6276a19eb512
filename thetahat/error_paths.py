"""Change the path of an error raised by a function that is called with other arguments.

A function raises errors whose ``loc`` is the name of an argument, followed by a row or a key. A
caller with other arguments calls it inside one of these context managers, which turn that ``loc``
into the caller's own: the name of its argument, or the path of a field in a request. Nothing else
changes the ``loc`` of an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from thetahat.errors import EvaluationError, Loc

NO_PATHS: Final[Mapping[str, Loc]] = MappingProxyType({})


@contextmanager
def relocated_errors(relocate: Callable[[Loc], Loc]) -> Iterator[None]:
    """Replace the ``loc`` of every error by the value of this function of it."""
    try:
        yield
    except EvaluationError as error:
        for fault in (error, *error.others):
            fault.loc = relocate(fault.loc)
        raise


@contextmanager
def located_errors(
    paths: Mapping[str, Loc] = NO_PATHS, *, within: Loc = (), default: Loc | None = None
) -> Iterator[None]:
    """Set the ``loc`` of errors to the path of the field with the wrong argument.

    Parameters
    ----------
    paths : mapping of str to tuple
        The path by argument. A key such as ``columns.source`` is for errors whose ``loc`` begins
        with these two parts.
    within : tuple
        The path of the object whose fields have the names of all other arguments.
    default : tuple or None
        The path for errors that name no argument; ``within`` if it is None.
    """

    def relocate(loc: Loc) -> Loc:
        if loc:
            return _find_path(loc, paths, within)
        return within if default is None else default

    with relocated_errors(relocate):
        yield


@contextmanager
def errors_located_at(path: Loc) -> Iterator[None]:
    """Set the ``loc`` of errors to this path, whichever argument they name."""
    with relocated_errors(lambda _: path):
        yield


def _find_path(loc: Loc, paths: Mapping[str, Loc], within: Loc) -> Loc:
    """Replace the longest beginning of ``loc`` that is a key of ``paths``."""
    for length in range(len(loc), 0, -1):
        key = ".".join(map(str, loc[:length]))
        if key in paths:
            return (*paths[key], *loc[length:])
    return (*within, *loc)

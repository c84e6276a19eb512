"""Where an error belongs in the request.

A reader of request fields raises errors with the path of the field that is wrong. A function of
the library knows no request: ``loc`` of its errors is the name of an argument, followed by a row
or a key. The service calls such a function inside ``located_errors``, which turns that ``loc``
into a path. Nothing else changes the ``loc`` of an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from service.errors import FieldError, InvalidRequest
from thetahat.errors import EvaluationError, Loc

NO_PATHS: Final[Mapping[str, Loc]] = MappingProxyType({})


@contextmanager
def located_errors(paths: Mapping[str, Loc] = NO_PATHS, *, within: Loc = ()) -> Iterator[None]:
    """Give errors of the library the path of the field that holds the argument they name.

    Parameters
    ----------
    paths : mapping of str to tuple
        The request's path by argument.
    within : tuple
        The path of the object whose fields have the names of all other arguments.
    """
    try:
        yield
    except EvaluationError as error:
        argument = str(error.loc[0]) if error.loc else ""
        path = (*paths[argument], *error.loc[1:]) if argument in paths else (*within, *error.loc)
        error.loc = path
        raise


@contextmanager
def errors_located_at(path: Loc) -> Iterator[None]:
    """Give errors of the library this path, whichever argument they name."""
    try:
        yield
    except EvaluationError as error:
        error.loc = path
        raise


@contextmanager
def errors_within(path: Loc) -> Iterator[None]:
    """Put this path before the paths of errors of a reader that is given a part of the request."""
    try:
        with located_errors(within=path):
            yield
    except InvalidRequest as refusal:
        faults = tuple(FieldError((*path, *f.loc), f.message, f.value) for f in refusal.errors)
        raise InvalidRequest(refusal.message, faults) from None

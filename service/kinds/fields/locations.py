"""Putting a refusal's place inside the field of the request that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.errors import FieldError, InvalidRequest
from thetahat.errors import EvaluationError


@contextmanager
def placed(*outer: str | int) -> Iterator[None]:
    """Put what is refused inside, and each of its faults, into an outer field."""
    try:
        yield
    except EvaluationError as error:
        error.loc = (*outer, *error.loc)
        raise
    except InvalidRequest as refusal:
        faults = tuple(FieldError((*outer, *f.loc), f.message, f.value) for f in refusal.errors)
        raise InvalidRequest(refusal.message, faults) from None

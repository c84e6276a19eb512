"""Compiling a loop with numba when it is first called, with a cache on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

_Function = TypeVar("_Function", bound=Callable[..., Any])


def inlined(function: _Function) -> _Function:
    """Mark a function as a part of the compiled loops that call it.

    Its lines are copied into them. A loop on disk is not compiled again if only such a function
    changes, so that numbers change with the loop's own module or with a new installation.
    """
    function.__dict__["is_inlined"] = True
    return function


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled form of a function over numpy arrays, with sums in the written order.

    Compiled at its first call with each kind of argument and kept on disk, beside the module or
    where ``NUMBA_CACHE_DIR`` says. It lets other threads run, and sums in the order written (no
    ``fastmath``), so that a number is the same from run to run.
    """
    try:
        import numba  # noqa: PLC0415 - takes seconds, and small inputs never need it
    except ModuleNotFoundError as error:
        message = "numba, which is not installed, compiles this loop: pip install 'thetahat[fast]'"
        raise ModuleNotFoundError(message, name="numba") from error

    whole = _with_inlined_functions(function)
    try:
        jitted: Any = numba.njit(cache=True, nogil=True)(whole)
    except RuntimeError:  # there is no place on disk that may be written to
        jitted = numba.njit(nogil=True)(whole)
    return jitted  # type: ignore[no-any-return]  # numba has no types


def _with_inlined_functions(function: Any) -> Any:
    """Return the function with its inlined functions in the form that numba copies."""
    import numba  # noqa: PLC0415 - as above

    known = function.__globals__
    called = {
        name: numba.njit(inline="always")(_with_inlined_functions(known[name]))
        for name in function.__code__.co_names
        if getattr(known.get(name), "__dict__", {}).get("is_inlined")
    }
    if not called:
        return function
    copy = FunctionType(function.__code__, {**known, **called}, function.__name__)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy


def as_read_only(values: np.ndarray) -> np.ndarray:
    """Return the values as a contiguous read-only array.

    A loop is compiled again for each type of argument, so all arrays get the same type; a
    memory-mapped one would have another.
    """
    seen = np.ascontiguousarray(values).view()
    seen.flags.writeable = False
    return seen


def is_loaded() -> bool:
    """Return whether numba has been imported already."""
    return sys.modules.get("numba") is not None


@cache
def is_installed() -> bool:
    """Return whether numba, which comes with the extra ``fast``, is installed."""
    return find_spec("numba") is not None


def uses_loops(size: int, least: int) -> bool:
    """Return whether data of that size are computed by compiled loops and not by NumPy.

    They are from the size ``least`` on, where numba is installed. NumPy draws the same random
    numbers; its sums are added in another order and differ in their last digits.
    """
    return size >= least and is_installed()

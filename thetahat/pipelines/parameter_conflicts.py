"""Parameters that scikit-learn takes one by one and refuses together, found before a job starts.

Which go together is known to the ``fit`` of each class alone. So it is tried, on two tables of a
few rows. A refusal may be of the table and not of the parameters: one that does not name a
parameter, does not say the same of both tables, or goes away when numbers are left out, is left to
the real fit. So are those of preparation steps, which may be made for texts or categories.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from thetahat.errors import InvalidParameter, LearnerFailed, Loc
from thetahat.pipelines.allowed import load
from thetahat.pipelines.constraints import defaults
from thetahat.pipelines.estimators import new_estimator
from thetahat.pipelines.third_party_calls import guarded

_TABLES: Final = ((40, 6, 1.0), (61, 9, 1000.0))
"""Rows, columns and scale; of an odd number of rows some values are negative."""
_FEW: Final = {"n_estimators": 3, "max_iter": 5}
"""What makes a trial short; no combination is refused for these."""
_SHARE: Final = 0.9
"""Stands for any share, so that no part of a table is empty."""
_NUMBER: Final = re.compile(r"[\d.]+")


def check_together(name: str, params: Mapping[str, Any], *, task: str, loc: Loc) -> None:
    """Refuse parameters that do not go together, where ``fit`` says so of any data.

    Whether numbers, lists and mappings fit often depends on the data. So what is refused is tried
    without them first (shares are others); that it takes the rest is remembered.

    Parameters
    ----------
    name : str
        A classifier or regressor of the reviewed list.
    params : mapping
        As ``checked_params`` returned them.
    loc : tuple
        Where ``params`` stand in the request.
    """
    tried = tuple(sorted((key, _tried(value)) for key, value in params.items() if _counts(value)))
    without = _refusal(name, tried, task) if tried else None
    if without is None:
        return
    message = _refusal_of(name, params, task)
    if message is None or _NUMBER.sub("#", message) != _NUMBER.sub("#", without):
        return
    here = [key for key in params if _names(message, key)]
    raise InvalidParameter(
        f"these parameters do not go together, whatever the data: {message}",
        loc=(*loc, *here[:1]),
        value=params[here[0]] if here else None,
    )


def _counts(value: Any) -> bool:
    if isinstance(value, float):
        return 0 < value < 1
    return value is None or isinstance(value, bool | str)


def _tried(value: Any) -> Any:
    return _SHARE if isinstance(value, float) else value


@lru_cache(maxsize=512)
def _refusal(name: str, tried: tuple[tuple[str, Any], ...], task: str) -> str | None:
    return _refusal_of(name, dict(tried), task)


def _refusal_of(name: str, params: Mapping[str, Any], task: str) -> str | None:
    """Return what the class says of parameters by themselves, or None if it takes them."""
    known = defaults(load(name))
    few = {key: few for key, few in _FEW.items() if isinstance(known.get(key), int)}
    said = set()
    for table in _TABLES:
        message = _failure(name, {**params, **few}, task, *table)
        if message is None or not any(_names(message, key) for key in known):
            return None
        said.add(message)
    return said.pop() if len(said) == 1 else None


def _failure(  # noqa: PLR0913 - what is fitted, and the table
    name: str, params: Mapping[str, Any], task: str, n: int, p: int, scale: float
) -> str | None:
    """Return what a fit to n rows of p columns fails with."""
    rng = np.random.default_rng(n)
    X = scale * (rng.exponential(size=(n, p)) - (n % 2))
    y: np.ndarray = np.arange(n) % 2 if task == "classification" else X[:, 0] + 1.5
    try:
        with guarded(name, []):
            new_estimator(name, params, rng, task=task).fit(X, y)
    except LearnerFailed as error:
        return error.message
    return None


def _names(message: str, parameter: str) -> bool:
    return re.search(rf"\b{re.escape(parameter)}\b", message, re.IGNORECASE) is not None

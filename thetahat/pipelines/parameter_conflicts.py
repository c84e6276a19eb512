"""Combinations of parameters that scikit-learn refuses, found before a job starts.

Only the ``fit`` of a class knows which parameters conflict, so a fit to two small tables is tried.
An error may be about the table and not about the parameters: it counts only if it names a
parameter, is the same for both tables, and also occurs without the numeric parameters. Other
errors, and all those of preparation steps, are left to the real fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from thetahat.errors import InvalidParameter, LearnerFailed, Loc
from thetahat.pipelines.allowed_classes import load_class
from thetahat.pipelines.constraints import get_defaults
from thetahat.pipelines.estimators import build_estimator
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.values.json_values import JsonValue

_TABLES: Final = ((40, 6, 1.0), (61, 9, 1000.0))
"""Rows, columns and scale of the two tables; the one with odd rows has negative values."""
_FEW: Final = {"n_estimators": 3, "max_iter": 5}
"""Parameters that shorten a trial; no class refuses a combination because of them."""
_SHARE: Final = 0.9
"""Value used for any share, so that no part of a table is empty."""
_NUMBER: Final = re.compile(r"[\d.]+")


def check_combination(name: str, params: Mapping[str, JsonValue], *, task: str, loc: Loc) -> None:
    """Raise ``InvalidParameter`` if ``fit`` refuses the combination of parameters for any data.

    Whether numbers, lists and mappings are valid often depends on the data, so the others (and
    shares, as one typical value) are tried alone first; the outcome of that trial is cached.

    Parameters
    ----------
    name : str
        A classifier or regressor of the reviewed list.
    params : mapping
        As ``check_estimator_params`` returned them.
    loc : tuple
        Path of ``params`` in the request.
    """
    tried = tuple(
        sorted(
            (key, _choose_trial_value(value))
            for key, value in params.items()
            if _is_tried_alone(value)
        )
    )
    without = _look_up_refusal(name, tried, task) if tried else None
    if without is None:
        return
    message = _find_refusal(name, params, task)
    if message is None or _NUMBER.sub("#", message) != _NUMBER.sub("#", without):
        return
    here = [key for key in params if _mentions(message, key)]
    raise InvalidParameter(
        f"These parameters cannot be combined, whatever the data: {message}",
        loc=(*loc, *here[:1]),
        value=params[here[0]] if here else None,
    )


def _is_tried_alone(value: Any) -> bool:
    if isinstance(value, float):
        return 0 < value < 1
    return value is None or isinstance(value, bool | str)


def _choose_trial_value(value: Any) -> Any:
    return _SHARE if isinstance(value, float) else value


@lru_cache(maxsize=512)
def _look_up_refusal(name: str, tried: tuple[tuple[str, Any], ...], task: str) -> str | None:
    return _find_refusal(name, dict(tried), task)


def _find_refusal(name: str, params: Mapping[str, JsonValue], task: str) -> str | None:
    """Return the error about the parameters that both tables give, or None."""
    known = get_defaults(load_class(name))
    few = {key: few for key, few in _FEW.items() if isinstance(known.get(key), int)}
    messages = set()
    for table in _TABLES:
        message = _find_failure(name, {**params, **few}, task, *table)
        if message is None or not any(_mentions(message, key) for key in known):
            return None
        messages.add(message)
    return messages.pop() if len(messages) == 1 else None


def _find_failure(  # noqa: PLR0913 - what is fitted, and the table
    name: str, params: Mapping[str, JsonValue], task: str, n: int, p: int, scale: float
) -> str | None:
    """Return the error message of a fit to n rows and p columns, or None."""
    rng = np.random.default_rng(n)
    X = scale * (rng.exponential(size=(n, p)) - (n % 2))
    y: np.ndarray = np.arange(n) % 2 if task == "classification" else X[:, 0] + 1.5
    try:
        with catch_failures(name, []):
            build_estimator(name, params, rng, task=task).fit(X, y)
    except LearnerFailed as error:
        return error.message
    return None


def _mentions(message: str, parameter: str) -> bool:
    return re.search(rf"\b{re.escape(parameter)}\b", message, re.IGNORECASE) is not None

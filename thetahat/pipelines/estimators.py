"""Building scikit-learn estimators with the parameters that the service fixes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.allowed_classes import SCORE_FUNCTIONS, SELECTORS, load_class
from thetahat.pipelines.constraints import check_params, get_defaults
from thetahat.seeds import draw_random_state
from thetahat.values.json_values import JsonValue

_FORCED: Final = {"n_jobs": 1, "verbose": 0}

EstimatorParams: TypeAlias = Mapping[str, JsonValue | Mapping[int, float]]
"""Checked parameters by name: JSON values, or the weights of classes by code."""


def build_estimator(
    name: str, params: EstimatorParams, rng: np.random.Generator, *, task: str
) -> Any:
    """Return an unfitted estimator that uses one processor and prints nothing.

    Its ``random_state``, if it has one and the parameters do not set it, is drawn from ``rng``;
    numpy's global random state is never used.

    Parameters
    ----------
    name : str
        A name of the reviewed list.
    params : mapping
        Parameters as ``check_estimator_params`` returned them.
    rng : Generator
        The random stream of this fit.
    task : str
        Decides the default score function of selectors.
    """
    cls = load_class(name)
    known = get_defaults(cls)
    settings = {**params, **{key: value for key, value in _FORCED.items() if key in known}}
    if "random_state" in known and settings.get("random_state") is None:
        settings["random_state"] = draw_random_state(rng)
    if name in SELECTORS:
        score = settings.get("score_func")
        name_of_score = score if isinstance(score, str) else None
        return cls(**{**settings, "score_func": _score_function(name_of_score, task)})
    return cls(**settings)


def check_estimator_params(
    name: str, params: Mapping[str, JsonValue], *, task: str, loc: Loc = ()
) -> dict[str, JsonValue]:
    """Return checked parameters of an estimator; raises ``InvalidParameter`` for a bad one."""
    if name not in SELECTORS:
        return check_params(load_class(name), params, loc=loc)
    rest = {key: value for key, value in params.items() if key != "score_func"}
    checked, chosen = check_params(load_class(name), rest, loc=loc), params.get("score_func")
    if chosen is None:
        return checked
    if not isinstance(chosen, str) or chosen not in SCORE_FUNCTIONS[task]:
        known = ", ".join(sorted(SCORE_FUNCTIONS[task]))
        raise InvalidParameter(
            f"score_func of {name} for {task} must be one of {known}; got {chosen!r}.",
            loc=(*loc, "score_func"),
            value=chosen,
        )
    return {**checked, "score_func": chosen}


def _score_function(name: str | None, task: str) -> Any:
    from sklearn import feature_selection  # noqa: PLC0415 - loaded late

    default = "f_classif" if task == "classification" else "f_regression"
    return getattr(feature_selection, name or default)

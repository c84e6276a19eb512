"""New scikit-learn objects, told what the service decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from thetahat.errors import InvalidParameter, Loc
from thetahat.pipelines.allowed import SCORE_FUNCTIONS, SELECTORS, load
from thetahat.pipelines.constraints import check_params, defaults

_FORCED: Final = {"n_jobs": 1, "verbose": 0}
_LARGEST_RANDOM_STATE: Final = 2**32 - 1


def new_estimator(
    name: str, params: Mapping[str, Any], rng: np.random.Generator, *, task: str
) -> Any:
    """Return an unfitted estimator.

    One processor, silence, and a ``random_state`` drawn from ``rng`` where the estimator has one
    and the parameters do not fix it: never numpy's global state.

    Parameters
    ----------
    name : str
        A name of the reviewed list.
    params : mapping
        Parameters as ``checked_params`` returned them.
    rng : Generator
        The stream of this fit.
    task : str
        Decides the default score function of selectors.
    """
    cls = load(name)
    known = defaults(cls)
    told = {**params, **{key: value for key, value in _FORCED.items() if key in known}}
    if "random_state" in known and told.get("random_state") is None:
        told["random_state"] = int(rng.integers(_LARGEST_RANDOM_STATE))
    if name in SELECTORS:
        told["score_func"] = _score_function(told.get("score_func"), task)
    return cls(**told)


def checked_params(
    name: str, params: Mapping[str, Any], *, task: str, loc: Loc = ()
) -> dict[str, Any]:
    """Return the parameters as the estimator takes them; ``InvalidParameter`` names the bad one."""
    if name not in SELECTORS or params.get("score_func") is None:
        plain = {key: value for key, value in params.items() if key != "score_func"}
        return check_params(load(name), plain if name in SELECTORS else params, loc=loc)
    chosen = params["score_func"]
    if not isinstance(chosen, str) or chosen not in SCORE_FUNCTIONS[task]:
        known = ", ".join(sorted(SCORE_FUNCTIONS[task]))
        raise InvalidParameter(
            f"score_func of {name} for {task} must be one of {known}; got {chosen!r}",
            loc=(*loc, "score_func"),
            value=chosen,
        )
    rest = {key: value for key, value in params.items() if key != "score_func"}
    return {**check_params(load(name), rest, loc=loc), "score_func": chosen}


def _score_function(name: str | None, task: str) -> Any:
    from sklearn import feature_selection  # noqa: PLC0415 - loaded late

    default = "f_classif" if task == "classification" else "f_regression"
    return getattr(feature_selection, name or default)

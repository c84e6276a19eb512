"""What a request may not ask of scikit-learn, and how large it may ask it: one table each.

A refused parameter is still taken at its own default, so that the output of ``get_params`` can be
pasted into a request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "copy": "it changes no number",
        "copy_X": "it changes no number",
        "copy_X_train": "it changes no number",
        "covariance_estimator": "learners inside learners are not taken from a request",
        "decode_error": "texts are decoded when a file is taken in",
        "dtype": "columns are 64-bit numbers",
        "encoding": "texts are decoded when a file is taken in",
        "estimator": "learners inside learners are not taken from a request",
        "feature_name_combiner": "code is not taken from a request",
        "fun_args": "they are arguments of code",
        "input": "texts are the cells of a column",
        "kernel_params": "they are arguments of code",
        "link": "it follows from power",
        "metric_params": "they are arguments of code",
        "n_jobs": "the service decides how many processors a job uses",
        "precompute": "products of the features are computed from the features",
        "preprocessor": "code is not taken from a request",
        "scoring": "what an estimator watches inside a training part is its own loss",
        "solver_options": "they are arguments of code",
        "sparse_output": "columns are dense",
        "token_pattern": "a pattern can take for ever to look for",
        "tokenizer": "code is not taken from a request",
        "verbose": "nobody reads a worker's terminal",
        "vocabulary": "it is learnt from each training part",
        "w_init": "a start is drawn from the job's seed",
        "warm_start": "every training part is learnt afresh",
    }
)
"""Why a parameter is taken at its default only."""

REFUSED_OF: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("DummyClassifier", "constant"): "classes are codes inside the service",
        ("GaussianProcessRegressor", "n_targets"): "there is one target",
        ("RidgeCV", "alpha_per_target"): "there is one target",
    }
)
"""The same for one class's parameter."""

REFUSED_VALUES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "affinity": ("precomputed", "the features are not distances"),
        "kernel": ("precomputed", "the features are not a kernel matrix"),
        "metric": ("precomputed", "the features are not distances"),
    }
)
"""A value that a parameter may not have, and why."""

LARGEST: Final[Mapping[str, int]] = MappingProxyType(
    {
        "alphas": 1_000,
        "cache_size": 1_000,
        "cv": 50,
        "degree": 10,
        "hidden_layer_sizes": 2_000,
        "max_fun": 1_000_000,
        "max_iter": 100_000,
        "max_iter_predict": 10_000,
        "max_subpopulation": 100_000,
        "n_bins": 1_000,
        "n_components": 5_000,
        "n_estimators": 2_000,
        "n_features": 2**24,
        "n_knots": 200,
        "n_quantiles": 100_000,
        "n_restarts_optimizer": 20,
        "ngram_range": 10,
        "subsample": 10_000_000,
    }
)
"""The largest number that a parameter which costs time or memory may hold."""

MOOT: Final = frozenset({"sparse_output"})
"""Switches of which either position is taken and neither passed on: a table's columns are dense,
made so after their number is known not to be above ``WIDEST``."""

BY_LABEL: Final = "class_weight"
"""The parameter that may be an object: a weight by class label, the others weigh 1."""

NO_LISTS: Final = frozenset({BY_LABEL, "cv"})
"""Parameters of which only the forms without lists are taken: a list of class weights is for
several targets, and splits inside splits are the service's own."""

LONGEST: Final[Mapping[str, int]] = MappingProxyType({"hidden_layer_sizes": 10, "ngram_range": 2})
"""The most entries of a list that costs time or memory."""

LONGEST_LIST: Final = 10_000
"""The most entries of any other list."""

WIDEST: Final = 20_000
"""The most columns that one step may make."""

WIDEST_SPARSE: Final = 20_000_000
"""The most columns of a group of sparse ones."""


def check_policy(owner: str, name: str, value: Any, default: Any, *, loc: Loc) -> None:
    """Refuse what a request may not ask: a parameter, a value, or a size.

    Parameters
    ----------
    owner, name : str
        Class and parameter.
    value, default : Any
        The request's JSON value and the parameter's own default.
    """
    reason = REFUSED_OF.get((owner, name)) or REFUSED.get(name)
    if reason and not (type(value) is type(default) and value == default):
        raise InvalidParameter(f"{name} of {owner} cannot be set: {reason}", loc=loc, value=value)
    refused, reason = REFUSED_VALUES.get(name, (None, ""))
    if refused is not None and value == refused:
        raise InvalidParameter(
            f"{name} of {owner} cannot be {refused!r}: {reason}", loc=loc, value=value
        )
    if name == BY_LABEL and isinstance(value, Mapping):
        _check_weights(owner, value, loc)
        return
    if name in NO_LISTS and isinstance(value, list | tuple | Mapping):
        raise InvalidParameter(
            f"{name} of {owner} cannot be a list or an object here", loc=loc, value=value
        )
    _check_size(owner, name, value, loc)


def _check_weights(owner: str, weights: Mapping[Any, Any], loc: Loc) -> None:
    if not 0 < len(weights) <= LONGEST_LIST:
        raise InvalidParameter(
            f"{BY_LABEL} of {owner} has 1 to {LONGEST_LIST} classes", loc=loc, value=len(weights)
        )
    for label, weight in weights.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < math.inf:
            raise InvalidParameter(
                f"{BY_LABEL} of {owner} must be numbers of at least 0; got {weight!r}",
                loc=(*loc, str(label)),
                value=weight,
            )


def _check_size(owner: str, name: str, value: Any, loc: Loc) -> None:
    entries = list(_leaves(value))
    longest = LONGEST.get(name, LONGEST_LIST)
    if isinstance(value, list | tuple) and len(entries) > longest:
        raise InvalidParameter(f"{name} of {owner} has more than {longest} entries", loc=loc)
    # A list of regularisations has no largest entry; a list of layer sizes has.
    sizes = entries if name in LONGEST else [value]
    largest = LARGEST.get(name)
    if largest is None:
        return
    if any(isinstance(size, int | float) and size > largest for size in sizes):
        raise InvalidParameter(f"{name} of {owner} is above {largest}", loc=loc, value=value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for entry in value:
            yield from _leaves(entry)
    else:
        yield value

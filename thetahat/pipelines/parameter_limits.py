"""Limits of scikit-learn parameters in requests: one table for each rule.

A refused parameter is still accepted at its default, so that the output of ``get_params`` can be
pasted into a request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc

REFUSED_PARAMETERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "copy": "it does not change the result",
        "copy_X": "it does not change the result",
        "copy_X_train": "it does not change the result",
        "covariance_estimator": "a request cannot send a learner inside a learner",
        "decode_error": "texts are decoded when the file is uploaded",
        "dtype": "columns are 64-bit numbers",
        "encoding": "texts are decoded when the file is uploaded",
        "estimator": "a request cannot send a learner inside a learner",
        "feature_name_combiner": "a request cannot send code",
        "fun_args": "it holds arguments for code",
        "input": "the texts are the cells of a column",
        "kernel_params": "it holds arguments for code",
        "link": "it follows from power",
        "metric_params": "it holds arguments for code",
        "n_jobs": "the service decides how many processors a job uses",
        "precompute": "the products are computed from the features",
        "preprocessor": "a request cannot send code",
        "scoring": "inside a training part an estimator uses its own loss",
        "solver_options": "it holds arguments for code",
        "sparse_output": "columns are dense",
        "token_pattern": "matching an arbitrary pattern can take forever",
        "tokenizer": "a request cannot send code",
        "verbose": "a worker's output is not shown",
        "vocabulary": "it is fitted to each training part",
        "w_init": "the start is drawn with the job's seed",
        "warm_start": "every training part is fitted from scratch",
    }
)
"""Reason why a parameter may only have its default, by parameter."""

REFUSED_CLASS_PARAMETERS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("DummyClassifier", "constant"): "classes are codes inside the service",
        ("GaussianProcessRegressor", "n_targets"): "there is one target",
        ("RidgeCV", "alpha_per_target"): "there is one target",
    }
)
"""The same for a parameter of one class."""

REFUSED_VALUES: Final[Mapping[str, Mapping[Any, str]]] = MappingProxyType(
    {
        "affinity": {"precomputed": "the features are not distances"},
        "kernel": {"precomputed": "the features are not a kernel matrix"},
        "metric": {
            "precomputed": "the features are not distances",
            "pyfunc": "it stands for a Python function, which a request cannot send",
        },
    }
)
"""Values that a parameter may not have, with the reason."""

MAX_VALUES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "alphas": 1_000,
        "cache_size": 1_000,
        "cv": 50,
        "degree": 10,
        "hidden_layer_sizes": 2_000,
        "iterated_power": 100,
        "leaf_size": 100_000,
        "max_fun": 1_000_000,
        "max_iter": 100_000,
        "max_iter_predict": 10_000,
        "max_n_alphas": 10_000,
        "max_subpopulation": 100_000,
        "n_bins": 1_000,
        "n_components": 5_000,
        "n_estimators": 2_000,
        "n_features": 2**24,
        "n_iter": 100,
        "n_knots": 200,
        "n_neighbors": 100_000,
        "n_oversamples": 1_000,
        "n_quantiles": 100_000,
        "n_restarts_optimizer": 20,
        "n_subsamples": 100_000,
        "ngram_range": 10,
        "subsample": 10_000_000,
    }
)
"""Largest value of parameters that cost time or memory."""

MAX_INTEGER: Final = 2**31 - 1
"""Largest value of any other whole number, such as a depth or a least number of rows, which the
data limit: compiled code of scikit-learn keeps some of them in 32 bits."""

IRRELEVANT_PARAMETERS: Final = frozenset({"sparse_output"})
"""Switches that are accepted and ignored: output is made dense after its width was checked
against ``MAX_OUTPUT_COLUMNS``."""

BY_LABEL: Final = "class_weight"
"""The parameter that may be an object: weights by class label; other classes get 1."""

NO_LISTS: Final = frozenset({BY_LABEL, "cv"})
"""Parameters that may not be lists: a list of class weights is for several targets, and the
service makes splits inside splits itself."""

MAX_LENGTHS: Final[Mapping[str, int]] = MappingProxyType(
    {"hidden_layer_sizes": 10, "ngram_range": 2}
)
"""Largest length of lists that cost time or memory."""

MAX_LIST_LENGTH: Final = 10_000
"""Largest length of any other list."""

MAX_OUTPUT_COLUMNS: Final = 20_000
"""Largest number of output columns of one step."""

MAX_SPARSE_COLUMNS: Final = 20_000_000
"""Largest number of columns in a group of sparse columns."""


def check_policy(owner: str, name: str, value: Any, default: Any, *, loc: Loc) -> None:
    """Raise ``InvalidParameter`` for a parameter, value or size that a request may not use.

    ``owner`` and ``name`` are the class and the parameter, ``value`` is the request's JSON value
    and ``default`` the parameter's own default.
    """
    reason = REFUSED_CLASS_PARAMETERS.get((owner, name)) or REFUSED_PARAMETERS.get(name)
    if reason and not (type(value) is type(default) and value == default):
        raise InvalidParameter(f"{name} of {owner} cannot be set: {reason}", loc=loc, value=value)
    refused = REFUSED_VALUES.get(name, {})
    if isinstance(value, str) and value in refused:
        raise InvalidParameter(
            f"{name} of {owner} cannot be {value!r}: {refused[value]}.", loc=loc, value=value
        )
    if name == BY_LABEL and isinstance(value, Mapping):
        _check_weights(owner, value, loc)
        return
    if name in NO_LISTS and isinstance(value, list | tuple | Mapping):
        raise InvalidParameter(
            f"{name} of {owner} cannot be a list or an object here.", loc=loc, value=value
        )
    _check_size(owner, name, value, loc)


def _check_weights(owner: str, weights: Mapping[Any, Any], loc: Loc) -> None:
    if not 0 < len(weights) <= MAX_LIST_LENGTH:
        raise InvalidParameter(
            f"The parameter {BY_LABEL} of {owner} must name 1 to {MAX_LIST_LENGTH} classes. "
            f"It names {len(weights)}.",
            loc=loc,
            value=len(weights),
        )
    for label, weight in weights.items():
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < math.inf:
            raise InvalidParameter(
                f"The weights in {BY_LABEL} of {owner} must be numbers of at least 0. One is "
                f"{weight!r}.",
                loc=(*loc, str(label)),
                value=weight,
            )


def _check_size(owner: str, name: str, value: Any, loc: Loc) -> None:
    entries = list(_list_leaves(value))
    longest = MAX_LENGTHS.get(name, MAX_LIST_LENGTH)
    if isinstance(value, list | tuple) and len(entries) > longest:
        raise InvalidParameter(
            f"{name} of {owner} must have at most {longest} entries; got {len(entries)}.", loc=loc
        )
    # Entries are limited in a list of layer sizes, not in a list of penalties.
    sizes = entries if name in MAX_LENGTHS else [value]
    is_other_count = isinstance(value, int) and name != "random_state"
    largest = MAX_VALUES.get(name, MAX_INTEGER if is_other_count else math.inf)
    if any(isinstance(size, int | float) and size > largest for size in sizes):
        raise InvalidParameter(
            f"{name} of {owner} must be at most {largest}; got {value!r}.", loc=loc, value=value
        )


def _list_leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for entry in value:
            yield from _list_leaves(entry)
    else:
        yield value


def check_width(owner: str, width: int, *, most: int = MAX_OUTPUT_COLUMNS) -> None:
    """Raise ``InvalidParameter`` if a step would have more than ``most`` output columns."""
    if width > most:
        raise InvalidParameter(
            f"{owner} would produce {width} columns. At most {most} are allowed.",
            loc=("prepare",),
            value=width,
        )

"""The scikit-learn transformers that do not depend on the training part.

The output of such a step for a row depends only on that row and the parameters, so the step can be
applied once to all rows before they are split without leaking test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from thetahat.values.json_values import JsonValue

Params = Mapping[str, JsonValue]


def _accept_all_parameters(params: Params) -> bool:
    del params
    return True


def _has_fixed_categories(params: Params) -> bool:
    """Whether the categories are a parameter and no count in the training part limits them."""
    counted = [params.get(name) for name in ("min_frequency", "max_categories")]
    return params.get("categories", "auto") != "auto" and counted == [None, None]


def _has_no_document_frequencies(params: Params) -> bool:
    return params.get("use_idf", True) is False


def _has_fixed_value(params: Params) -> bool:
    """Whether the fill value is a parameter and the output columns do not depend on the data."""
    keeps = params.get("keep_empty_features", False) and not params.get("add_indicator", False)
    return params.get("strategy", "mean") == "constant" and bool(keeps)


STATELESS: Final[Mapping[str, Callable[[Params], bool]]] = MappingProxyType(
    {
        "Binarizer": _accept_all_parameters,
        "HashingVectorizer": _accept_all_parameters,
        "Normalizer": _accept_all_parameters,
        "OneHotEncoder": _has_fixed_categories,
        "OrdinalEncoder": _has_fixed_categories,
        "PolynomialFeatures": _accept_all_parameters,
        "SimpleImputer": _has_fixed_value,
        "TfidfTransformer": _has_no_document_frequencies,
    }
)
"""Condition on the parameters by class name; every other class depends on the training part."""


def is_stateless(name: str, params: Params) -> bool:
    """Return whether a transformer's output for a row depends only on the row and ``params``."""
    condition = STATELESS.get(name)
    return condition is not None and condition(params)

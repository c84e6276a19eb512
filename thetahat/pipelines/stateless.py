"""Which of scikit-learn's transformers learn nothing from the training part.

What such a step makes of a row depends on that row and on the step's parameters alone, so that it
may be applied to all rows once, before they are split: no split learns from its test rows by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

Params = Mapping[str, Any]


def _always(params: Params) -> bool:
    del params
    return True


def _has_its_categories(params: Params) -> bool:
    """Whether the categories are given, and no count in the training part chooses among them."""
    counted = [params.get(name) for name in ("min_frequency", "max_categories")]
    return params.get("categories", "auto") != "auto" and counted == [None, None]


def _weighs_by_row(params: Params) -> bool:
    return params.get("use_idf", True) is False


def _has_its_value(params: Params) -> bool:
    """Whether one value is filled in, and which columns there are is not up to what is missing."""
    keeps = params.get("keep_empty_features", False) and not params.get("add_indicator", False)
    return params.get("strategy", "mean") == "constant" and bool(keeps)


LEARN_NOTHING: Final[Mapping[str, Callable[[Params], bool]]] = MappingProxyType(
    {
        "Binarizer": _always,
        "HashingVectorizer": _always,
        "Normalizer": _always,
        "OneHotEncoder": _has_its_categories,
        "OrdinalEncoder": _has_its_categories,
        "PolynomialFeatures": _always,
        "SimpleImputer": _has_its_value,
        "TfidfTransformer": _weighs_by_row,
    }
)
"""By class name, with which parameters; every other class learns, whatever its parameters."""


def learns_nothing(name: str, params: Params) -> bool:
    """Say whether a transformer's output for a row depends on the row and ``params`` alone."""
    says = LEARN_NOTHING.get(name)
    return says is not None and says(params)

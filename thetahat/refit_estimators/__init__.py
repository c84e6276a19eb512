"""Methods that fit the learner again, one module each, by wire name.

``_extra_fits`` runs the fits, and ``_supplied_fits`` reads those that a request brings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from thetahat.intervals import INTERVALS
from thetahat.refit_estimators._estimates import (
    LossesByDesign,
    RequestedRefit,
    check_independent_rows,
    collect_designs,
    compute_estimates,
    drop_refit_target,
    reasons_against_pairs,
)
from thetahat.refit_estimators.base import (
    INTERVALS_LIST,
    VARIANCES_LIST,
    RefitDesign,
    RefitEstimator,
    RefitLosses,
)
from thetahat.registry import Registry
from thetahat.variances import VARIANCES

REFIT_ESTIMATORS: Final[Registry[type[RefitEstimator]]] = Registry.collect(__name__, __path__)


class _Givers(Mapping[str, Any]):
    """The methods that fit the learner again and may be named in one list of a request."""

    def __init__(self, field: str) -> None:
        self._field = field

    def __getitem__(self, name: str) -> type[RefitEstimator]:
        return REFIT_ESTIMATORS[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, cls in REFIT_ESTIMATORS.items() if self._field in cls.gives)

    def __len__(self) -> int:
        return sum(1 for _ in self)


EVERY_VARIANCE: Final[Registry[type[Any]]] = Registry(
    VARIANCES_LIST, VARIANCES, _Givers(VARIANCES_LIST)
)
"""The methods that a request may name in ``variances``."""

EVERY_INTERVAL: Final[Registry[type[Any]]] = Registry(
    INTERVALS_LIST, INTERVALS, _Givers(INTERVALS_LIST)
)
"""The methods that a request may name in ``intervals``."""

__all__ = [
    "EVERY_INTERVAL",
    "EVERY_VARIANCE",
    "REFIT_ESTIMATORS",
    "LossesByDesign",
    "RefitDesign",
    "RefitEstimator",
    "RefitLosses",
    "RequestedRefit",
    "check_independent_rows",
    "collect_designs",
    "compute_estimates",
    "drop_refit_target",
    "reasons_against_pairs",
]

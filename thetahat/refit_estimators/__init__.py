"""Methods that fit the learner again, one module each, by wire name.

What runs the fits, or reads those that a request brings, is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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

if TYPE_CHECKING:
    from thetahat.refit_estimators._extra_fits import (
        RefitTask,
        compute_refit_seed,
        join_losses,
        run_design,
        run_design_together,
    )
    from thetahat.refit_estimators._supplied_fits import (
        SuppliedRefit,
        count_copies,
        supply_conservative_z,
        supply_out_of_bag,
    )

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
    "RefitTask",
    "RequestedRefit",
    "SuppliedRefit",
    "check_independent_rows",
    "collect_designs",
    "compute_estimates",
    "compute_refit_seed",
    "count_copies",
    "drop_refit_target",
    "join_losses",
    "reasons_against_pairs",
    "run_design",
    "run_design_together",
    "supply_conservative_z",
    "supply_out_of_bag",
]

_MODULES: Final = {
    "RefitTask": "_extra_fits",
    "SuppliedRefit": "_supplied_fits",
    "compute_refit_seed": "_extra_fits",
    "count_copies": "_supplied_fits",
    "join_losses": "_extra_fits",
    "run_design": "_extra_fits",
    "run_design_together": "_extra_fits",
    "supply_conservative_z": "_supplied_fits",
    "supply_out_of_bag": "_supplied_fits",
}
"""The module of each name that is imported when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""Methods that fit the learner again, one module each, by wire name."""

from typing import Any, Final

from thetahat.intervals import INTERVALS
from thetahat.refit_estimators._estimates import (
    LossesByDesign,
    RequestedRefit,
    check_independent_rows,
    collect_designs,
    compute_estimates,
    reasons_against_pairs,
)
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


def _add_refit_estimators(family: str, registry: Registry[type[Any]]) -> Registry[type[Any]]:
    of_family = {
        name: method for name, method in REFIT_ESTIMATORS.items() if family in method.gives
    }
    return Registry(family, registry, of_family)


EVERY_VARIANCE: Final = _add_refit_estimators(VARIANCES_LIST, VARIANCES)
"""The methods that a request may name in ``variances``."""

EVERY_INTERVAL: Final = _add_refit_estimators(INTERVALS_LIST, INTERVALS)
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
    "join_losses",
    "reasons_against_pairs",
    "run_design",
    "run_design_together",
    "supply_conservative_z",
    "supply_out_of_bag",
]

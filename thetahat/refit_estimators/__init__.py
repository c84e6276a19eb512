"""Methods that fit the learner again, one module each, by wire name."""

from typing import Any, Final

from thetahat.intervals import INTERVALS
from thetahat.refit_estimators._estimating import (
    Asked,
    FitsByDesign,
    designs_of,
    find,
    not_of_pairs,
)
from thetahat.refit_estimators._parameters import dependence_of_rows
from thetahat.refit_estimators._running import Learning, fits_of, run_design, run_design_together
from thetahat.refit_estimators.base import INTERVALS_LIST, VARIANCES_LIST, Design, Fits, Refit
from thetahat.registry import Registry
from thetahat.variances import VARIANCES

REFIT_ESTIMATORS: Final[Registry[type[Refit]]] = Registry.collect(__name__, __path__)


def _with_refits(family: str, registry: Registry[type[Any]]) -> Registry[type[Any]]:
    given = {
        name: REFIT_ESTIMATORS[name]
        for name in REFIT_ESTIMATORS
        if family in REFIT_ESTIMATORS[name].gives
    }
    return Registry(family, {**registry, **given})


EVERY_VARIANCE: Final = _with_refits(VARIANCES_LIST, VARIANCES)
"""What a request's ``variances`` may name."""

EVERY_INTERVAL: Final = _with_refits(INTERVALS_LIST, INTERVALS)
"""What a request's ``intervals`` may name."""

__all__ = [
    "EVERY_INTERVAL",
    "EVERY_VARIANCE",
    "REFITS",
    "Asked",
    "Design",
    "Fits",
    "FitsByDesign",
    "Learning",
    "dependence_of_rows",
    "designs_of",
    "find",
    "fits_of",
    "not_of_pairs",
    "run_design",
    "run_design_together",
]

"""All figures of a result."""

from __future__ import annotations

from typing import Final

from service.figures.by_source import build_by_source
from service.figures.covariance import build_covariance
from service.figures.critical_differences import build_critical_differences
from service.figures.differences import build_differences
from service.figures.figure import Figure, Result
from service.figures.forest import build_forest
from service.figures.learning_curves import build_learning_curves
from service.figures.posterior import build_posteriors
from service.figures.replicates import build_components, build_replicates
from service.figures.risk_curves import build_risk_curves
from service.figures.score_curves import build_score_curves
from service.figures.selection import build_selection
from service.figures.study import build_study
from service.figures.weights import build_weights

BUILDERS: Final = (
    build_forest,
    build_differences,
    build_by_source,
    build_critical_differences,
    build_posteriors,
    build_score_curves,
    build_learning_curves,
    build_selection,
    build_risk_curves,
    build_weights,
    build_replicates,
    build_components,
    build_covariance,
    build_study,
)


def list_figures(result: Result) -> tuple[Figure, ...]:
    """Return the figures of a result, in the order in which they are read.

    Parameters
    ----------
    result : mapping
        The JSON of a result.
    """
    return tuple(figure for build in BUILDERS for figure in build(result))

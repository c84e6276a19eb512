"""All figures of a result."""

from __future__ import annotations

import logging
from typing import Final

from thetahat_service.figures.agreement import build_agreement
from thetahat_service.figures.by_source import build_by_source
from thetahat_service.figures.covariance import build_covariance
from thetahat_service.figures.critical_differences import build_critical_differences
from thetahat_service.figures.differences import build_differences
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.forest import build_forest
from thetahat_service.figures.groups import build_groups
from thetahat_service.figures.learning_curves import build_learning_curves
from thetahat_service.figures.posterior import build_posteriors
from thetahat_service.figures.quality_cost import build_quality_cost
from thetahat_service.figures.replicates import build_components, build_replicates
from thetahat_service.figures.risk_curves import build_risk_curves
from thetahat_service.figures.score_curves import build_score_curves
from thetahat_service.figures.selection import build_selection
from thetahat_service.figures.study import build_study
from thetahat_service.figures.weights import build_weights

log = logging.getLogger(__name__)

BUILDERS: Final = (
    build_forest,
    build_differences,
    build_by_source,
    build_groups,
    build_quality_cost,
    build_critical_differences,
    build_posteriors,
    build_score_curves,
    build_learning_curves,
    build_selection,
    build_risk_curves,
    build_weights,
    build_replicates,
    build_components,
    build_agreement,
    build_covariance,
    build_study,
)


def list_figures(result: Result) -> tuple[Figure, ...]:
    """Return the figures of a result, in the order in which they are read.

    Of a result of an earlier release, whose parts are not those of today, there may be none.
    ``result`` is the JSON of a result.
    """
    try:
        return tuple(figure for build in BUILDERS for figure in build(result))
    except (LookupError, TypeError, AttributeError):
        version = result.get("provenance", {}).get("version")
        log.exception("figures.other_form", extra={"version": version, "kind": result.get("kind")})
        return ()

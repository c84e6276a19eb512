"""Selection for another population by importance-weighted cross-validation over grids."""

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.fits import (
    GridLosses,
    compute_fold_losses,
    compute_target_losses,
    fit_ridge_to_source,
)
from thetahat.analyses.importance_weighting.outcomes import (
    GridRisks,
    RiskSetting,
    estimate_risks_along_grid,
)
from thetahat.analyses.importance_weighting.risk_curves import (
    RiskCurve,
    estimate_risk_curve,
    find_smallest_risk,
    set_second_moment,
)
from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.analyses.importance_weighting.sign_classifiers import SignClassifier
from thetahat.analyses.importance_weighting.weighted_ridge import (
    compute_ridge_scores,
    fit_weighted_ridge,
)
from thetahat.analyses.importance_weighting.weights import (
    ShiftWeights,
    check_can_weigh_new_rows,
    estimate_weights_in_training_parts,
    estimate_weights_on_all_rows,
)

__all__ = [
    "GridLosses",
    "GridRisks",
    "LearnerWithGrid",
    "RiskCurve",
    "RiskSetting",
    "ShiftWeights",
    "SignClassifier",
    "SourceAndTarget",
    "check_can_weigh_new_rows",
    "compute_fold_losses",
    "compute_ridge_scores",
    "compute_target_losses",
    "estimate_risk_curve",
    "estimate_risks_along_grid",
    "estimate_weights_in_training_parts",
    "estimate_weights_on_all_rows",
    "find_smallest_risk",
    "fit_ridge_to_source",
    "fit_weighted_ridge",
    "set_second_moment",
]

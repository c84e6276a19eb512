"""Selection for another population: weighted cross-validation over a grid, risk by risk."""

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.choosing import least
from thetahat.analyses.importance_weighting.curves import RiskCurve, risk_curve, with_second_moment
from thetahat.analyses.importance_weighting.fits import (
    Assessed,
    losses_on_fold,
    losses_on_target,
    refitted,
)
from thetahat.analyses.importance_weighting.outcomes import Outcome, Setting, outcome_of
from thetahat.analyses.importance_weighting.ridge_scores import ridge_coefficients, ridge_scores
from thetahat.analyses.importance_weighting.samples import Shift
from thetahat.analyses.importance_weighting.signs import FittedToSigns
from thetahat.analyses.importance_weighting.weights import (
    ShiftWeights,
    check_in_training,
    weights_in_training,
    weights_on_all,
)

__all__ = [
    "Assessed",
    "FittedToSigns",
    "LearnerWithGrid",
    "Outcome",
    "RiskCurve",
    "Setting",
    "Shift",
    "ShiftWeights",
    "check_in_training",
    "least",
    "losses_on_fold",
    "losses_on_target",
    "outcome_of",
    "refitted",
    "ridge_coefficients",
    "ridge_scores",
    "risk_curve",
    "weights_in_training",
    "weights_on_all",
    "with_second_moment",
]

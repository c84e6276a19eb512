"""Selection for another population: weighted cross-validation over a grid, risk by risk."""

from thetahat.shifting.candidates import Candidate
from thetahat.shifting.choosing import least
from thetahat.shifting.curves import RiskCurve, risk_curve, with_second_moment
from thetahat.shifting.fits import Assessed, losses_on_fold, losses_on_target, refitted
from thetahat.shifting.outcomes import Outcome, Setting, outcome_of
from thetahat.shifting.plain import PlainSelection, plain_scores, plain_selection
from thetahat.shifting.result import shift_told
from thetahat.shifting.ridge_scores import ridge_coefficients, ridge_scores
from thetahat.shifting.shift import Shift
from thetahat.shifting.shift_weights import (
    ShiftWeights,
    check_in_training,
    weights_in_training,
    weights_on_all,
)
from thetahat.shifting.signs import FittedToSigns

__all__ = [
    "Assessed",
    "Candidate",
    "FittedToSigns",
    "Outcome",
    "PlainSelection",
    "RiskCurve",
    "Setting",
    "Shift",
    "ShiftWeights",
    "check_in_training",
    "least",
    "losses_on_fold",
    "losses_on_target",
    "outcome_of",
    "plain_scores",
    "plain_selection",
    "refitted",
    "ridge_coefficients",
    "ridge_scores",
    "risk_curve",
    "shift_told",
    "weights_in_training",
    "weights_on_all",
    "with_second_moment",
]

"""The evaluation of losses: choices, variances, intervals, tests, verdicts and plans."""

from thetahat.analyses.losses.checks import check, describe_other_loss, list_fitting_methods
from thetahat.analyses.losses.choices import Choices, ChosenMethod, Gate
from thetahat.analyses.losses.evaluation import evaluate
from thetahat.analyses.losses.method_selection import EVERY_TEST
from thetahat.corrections import CORRECTIONS

__all__ = [
    "CORRECTIONS",
    "EVERY_TEST",
    "Choices",
    "ChosenMethod",
    "Gate",
    "check",
    "describe_other_loss",
    "evaluate",
    "list_fitting_methods",
]

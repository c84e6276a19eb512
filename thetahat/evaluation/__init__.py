"""From the losses of all models to the result tree: choices, recommendation, verdicts, plans."""

from thetahat.evaluation.checks import check, check_for_any_loss, check_values, those_that_fit
from thetahat.evaluation.choices import EVERY_TEST, Choices, Chosen
from thetahat.evaluation.corrections import CORRECTIONS
from thetahat.evaluation.rules import RULES
from thetahat.evaluation.tree import evaluate

__all__ = [
    "CORRECTIONS",
    "EVERY_TEST",
    "RULES",
    "Choices",
    "Chosen",
    "check",
    "check_for_any_loss",
    "check_values",
    "evaluate",
    "those_that_fit",
]

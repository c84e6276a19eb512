"""Learners cross-validated and evaluated: the analysis of kind ``cross_validation``."""

from thetahat.analyses.cross_validation.evaluation import (
    NO_REFIT_RUNS,
    OutcomesTask,
    RefitRuns,
    TabulatedOutcomes,
    collect_refit_warnings,
    evaluate_learners,
    tabulate_outcomes,
)
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation

__all__ = [
    "NO_REFIT_RUNS",
    "CrossValidationEvaluation",
    "OutcomesTask",
    "RefitRuns",
    "TabulatedOutcomes",
    "collect_refit_warnings",
    "evaluate_learners",
    "tabulate_outcomes",
]

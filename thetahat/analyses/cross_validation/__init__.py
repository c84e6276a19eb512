"""Learners cross-validated and evaluated: the analysis of kind ``cross_validation``."""

from thetahat.analyses.cross_validation.evaluation import (
    NO_REFIT_RUNS,
    EvaluatedOutcomes,
    OutcomesTask,
    RefitRuns,
    add_cautions,
    collect_run_cautions,
    evaluate_outcomes,
    list_failed_learners,
)
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation

__all__ = [
    "NO_REFIT_RUNS",
    "CrossValidationEvaluation",
    "EvaluatedOutcomes",
    "OutcomesTask",
    "RefitRuns",
    "add_cautions",
    "collect_run_cautions",
    "evaluate_outcomes",
    "list_failed_learners",
]

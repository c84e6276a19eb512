"""Learners run over the splits of a scheme, and their losses put into one table."""

from thetahat.cross_validation.array_packing import pack, unpack
from thetahat.cross_validation.cut_groups import find_cut_groups
from thetahat.cross_validation.fast_path import estimate_cells, is_fast
from thetahat.cross_validation.fitting import (
    check_learner,
    check_loss,
    check_target,
    learners_without_scores,
)
from thetahat.cross_validation.learner_groups import Group, group_by_parameter
from thetahat.cross_validation.loss_tables import (
    build_loss_table,
    build_rows,
    count_cautions,
    summarise_learner_cautions,
)
from thetahat.cross_validation.outcomes import Outcomes, SplitOutcome, as_outcomes, join_outcomes
from thetahat.cross_validation.parameter_paths import run_path
from thetahat.cross_validation.result import LearnerFailure, LearnerFits, summarise_fits
from thetahat.cross_validation.runner import run_splits

__all__ = [
    "Group",
    "LearnerFailure",
    "LearnerFits",
    "Outcomes",
    "SplitOutcome",
    "as_outcomes",
    "build_loss_table",
    "build_rows",
    "check_learner",
    "check_loss",
    "check_target",
    "count_cautions",
    "estimate_cells",
    "find_cut_groups",
    "group_by_parameter",
    "is_fast",
    "join_outcomes",
    "learners_without_scores",
    "pack",
    "run_path",
    "run_splits",
    "summarise_fits",
    "summarise_learner_cautions",
    "unpack",
]

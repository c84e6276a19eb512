"""Learners run over the splits of a scheme, and their losses put into one table."""

from thetahat.cross_validation.fitting import (
    check_learner,
    check_loss,
    check_target,
    learners_without_scores,
)
from thetahat.cross_validation.learner_groups import Group, path_over
from thetahat.cross_validation.many_splits import cells, is_fast
from thetahat.cross_validation.outcomes import Outcomes, SplitOutcome, gathered, joined
from thetahat.cross_validation.packing import pack, unpack
from thetahat.cross_validation.paths import run_path
from thetahat.cross_validation.result import LearnerFailure, LearnerFits, summarise_fits
from thetahat.cross_validation.runner import run_splits
from thetahat.cross_validation.tables import cautions_of, cautions_of_clusters, loss_table, rows_of

__all__ = [
    "Group",
    "LearnerFailure",
    "LearnerFits",
    "Outcomes",
    "SplitOutcome",
    "cautions_of",
    "cautions_of_clusters",
    "cells",
    "check_learner",
    "check_loss",
    "check_target",
    "gathered",
    "is_fast",
    "joined",
    "learners_without_scores",
    "loss_table",
    "pack",
    "path_over",
    "rows_of",
    "run_path",
    "run_splits",
    "summarise_fits",
    "unpack",
]

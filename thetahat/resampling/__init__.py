"""Learners run over the splits of a scheme, and their losses put into one table."""

from thetahat.resampling.at_once import cells, is_fast, path_of
from thetahat.resampling.fitting import check_learner, check_loss, check_target
from thetahat.resampling.groups import Group, path_over
from thetahat.resampling.outcomes import Outcomes, SplitOutcome, gathered, joined
from thetahat.resampling.packing import pack, unpack
from thetahat.resampling.paths import run_path
from thetahat.resampling.runner import run_splits
from thetahat.resampling.tables import cautions_of, cautions_of_clusters, loss_table, rows_of

__all__ = [
    "Group",
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
    "loss_table",
    "pack",
    "path_of",
    "path_over",
    "rows_of",
    "run_path",
    "run_splits",
    "unpack",
]

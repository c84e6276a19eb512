"""Learners run over the splits of a scheme, and their losses put into one table."""

from thetahat.resampling.at_once import cells, is_fast, path_of
from thetahat.resampling.fitting import check_learner, check_loss, check_target
from thetahat.resampling.packing import pack, unpack
from thetahat.resampling.runner import SplitOutcome, run_splits
from thetahat.resampling.tables import cautions_of, loss_table, rows_of

__all__ = [
    "SplitOutcome",
    "cautions_of",
    "cells",
    "check_learner",
    "check_loss",
    "check_target",
    "is_fast",
    "loss_table",
    "pack",
    "path_of",
    "rows_of",
    "run_splits",
    "unpack",
]

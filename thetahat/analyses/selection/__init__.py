"""Selection among learners: internal splits choose, external splits assess the choice."""

from thetahat.analyses.selection.bias import estimate_bias
from thetahat.analyses.selection.criterion import Criterion
from thetahat.analyses.selection.external_choices import (
    SELECTED,
    CandidateErrors,
    ExternalChoices,
    choose_in_each_split,
)
from thetahat.analyses.selection.grid_values import (
    MAX_VALUES,
    check_count,
    check_distinct,
    list_range_values,
)
from thetahat.analyses.selection.grids import CandidateGrid, expand_grids
from thetahat.analyses.selection.internal_estimates import InternalEstimate, estimate_from_losses
from thetahat.analyses.selection.nested_splits import (
    derive_internal_seed,
    derive_seed_on_all_rows,
    get_own_internal_scheme,
    split_training_part,
)
from thetahat.analyses.selection.parameter_profiles import build_grid_profile, check_grid_edges
from thetahat.analyses.selection.selection_rules import RULES, Choice, SelectionRule, choose

__all__ = [
    "MAX_VALUES",
    "RULES",
    "SELECTED",
    "CandidateErrors",
    "CandidateGrid",
    "Choice",
    "Criterion",
    "ExternalChoices",
    "InternalEstimate",
    "SelectionRule",
    "build_grid_profile",
    "check_count",
    "check_distinct",
    "check_grid_edges",
    "choose",
    "choose_in_each_split",
    "derive_internal_seed",
    "derive_seed_on_all_rows",
    "estimate_bias",
    "estimate_from_losses",
    "expand_grids",
    "get_own_internal_scheme",
    "list_range_values",
    "split_training_part",
]

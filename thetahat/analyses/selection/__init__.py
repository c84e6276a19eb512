"""Selection among learners: internal estimation chooses, external estimation assesses."""

from thetahat.analyses.selection.choosing import RULES, Choice, choose
from thetahat.analyses.selection.criterion import Criterion
from thetahat.analyses.selection.grids import CandidateGrid, expand, place_in_request
from thetahat.analyses.selection.internal import InternalEstimate, internal_estimate
from thetahat.analyses.selection.nesting import (
    internal_seed,
    internal_splits,
    own_internal,
    seed_on_all,
)
from thetahat.analyses.selection.optimism import bias_of_least, gap_of
from thetahat.analyses.selection.profiles import edges_of, profiles_of
from thetahat.analyses.selection.result import SELECTED, Candidate, External, select_in_each
from thetahat.analyses.selection.values import MOST_VALUES, between, check_count, check_distinct

__all__ = [
    "MOST_VALUES",
    "RULES",
    "SELECTED",
    "Candidate",
    "CandidateGrid",
    "Choice",
    "Criterion",
    "External",
    "InternalEstimate",
    "between",
    "bias_of_least",
    "check_count",
    "check_distinct",
    "choose",
    "edges_of",
    "expand",
    "gap_of",
    "internal_estimate",
    "internal_seed",
    "internal_splits",
    "own_internal",
    "place_in_request",
    "profiles_of",
    "seed_on_all",
    "select_in_each",
]

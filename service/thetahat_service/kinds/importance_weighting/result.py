"""The result of kind ``importance_weighting``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.importance_weighting.result import LearnerSelection, SelectionAmongLearners
from thetahat.analyses.importance_weighting.weights_result import SelectionWeights
from thetahat.cautions import Caution
from thetahat.cross_validation.result import LearnerFailure
from thetahat.values.left_out_rows import LeftOutOfSamples
from thetahat.values.types import Label
from thetahat_service.kinds.provenance import KindResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceWeightingResult(KindResult):
    """The result of an importance-weighted selection."""

    kind: Literal["importance_weighting"] = "importance_weighting"
    """``importance_weighting``."""
    weights: SelectionWeights
    """The importance weights of the source rows."""
    selection: LearnerSelection | SelectionAmongLearners = field(metadata={"inline": True})
    """What each risk selects from the grid of one learner or, where the request has ``learners``,
    among several; its fields are fields of the result."""
    n_folds: int
    """Number of folds of the cross-validation."""
    fold_labels: tuple[Label, ...]
    """Labels of the folds."""
    features: tuple[str, ...]
    """Names of the features."""
    failures: Mapping[str, LearnerFailure]
    """Learners that failed, with the reason."""
    cautions: tuple[Caution, ...]
    """Cautions about the selection."""
    left_out: LeftOutOfSamples | None = None
    """Incomplete rows that are left out of the samples. Weights are those of the other rows, in
    order; ``instance`` in the losses has their numbers."""

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
from thetahat_service.kinds.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceWeightingResult:
    """The result of an importance-weighted selection.

    Parameters
    ----------
    kind : str
        ``importance_weighting``.
    weights : SelectionWeights
        The importance weights of the source rows.
    selection : LearnerSelection or SelectionAmongLearners
        What each risk selects from the grid of one learner or, where the request has
        ``learners``, among several; its fields are fields of the result.
    n_folds : int
        Number of folds of the cross-validation.
    fold_labels : tuple of label
        Labels of the folds.
    features : tuple of str
        Names of the features.
    failures : mapping of str to LearnerFailure
        Learners that failed, with the reason.
    left_out : LeftOutOfSamples or None
        Incomplete rows that are left out of the samples. Weights are those of the other rows, in
        order; ``instance`` in the losses has their numbers.
    cautions : tuple of Caution
        Cautions about the selection.
    provenance : Provenance or None
        Version, seed, digests and methods, which make the result again.
    """

    kind: Literal["importance_weighting"] = "importance_weighting"
    weights: SelectionWeights
    selection: LearnerSelection | SelectionAmongLearners = field(metadata={"inline": True})
    n_folds: int
    fold_labels: tuple[Label, ...]
    features: tuple[str, ...]
    failures: Mapping[str, LearnerFailure]
    cautions: tuple[Caution, ...]
    left_out: LeftOutOfSamples | None = None
    provenance: Provenance | None = None

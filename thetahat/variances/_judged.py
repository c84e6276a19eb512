"""What the two variances of prediction-powered means share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.cautions import FEW_LABELS, LABELS_ALONE, STRATA_OF_LABELS_ALONE, Caution
from thetahat.errors import InsufficientData
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind
from thetahat.variances._applicability import explain_wrong_block_kind
from thetahat.variances._building import TRAINING_IGNORED
from thetahat.variances.base import VarianceEstimate

if TYPE_CHECKING:
    from thetahat.numerics.prediction_powered import GradedSample

LEAST_LABELS: Final = int(LABELS_ALONE.threshold)
"""Labelled rows (or clusters) from which an interval rests on the grades."""

LEAST_RARE_LABELS: Final = 10
"""Labelled rows that differ from the commonest label, from which an interval rests on the grades.

Of rates of .05 with 25, 50 and 100 labels, intervals with the tuned weight covered in .64, .89 and
.89 at level .95: the few rows that differ decide both the weight and the variance.
"""
_ON_LABELS: Final = frozenset({LABELS_ALONE.code, STRATA_OF_LABELS_ALONE.code})


def explain_missing_judge(info: MethodInfo, layout: Layout) -> str | None:
    """Return why a layout has no grades to use, or None."""
    if reason := explain_wrong_block_kind(info, layout):
        return reason
    if layout.judge is None:
        return f"{info.name} needs the grades of a judge in the field judge"
    reason = layout.judge.explain_disuse()
    return None if reason is None else f"{info.name} does not fit: {reason}"


def get_sample(losses: BlockLosses) -> GradedSample:
    """Return the labels and grades of one model or difference; raise if there are no grades."""
    from thetahat.numerics.prediction_powered import GradedSample  # noqa: PLC0415 - few evaluations need it

    layout, grades = losses.layout, losses.grades
    if layout.judge is None or grades is None:
        raise InsufficientData("There are no grades of a judge.", loc=("judge",))
    return GradedSample(
        labels=losses.rows,
        grades=grades.labelled,
        unlabelled=grades.unlabelled,
        stratum=layout.judge.stratum,
        stratum_unlabelled=layout.judge.stratum_unlabelled,
        cluster=layout.cluster,
        cluster_unlabelled=layout.judge.cluster_unlabelled,
    )


def check_labels(losses: BlockLosses) -> tuple[Caution, ...]:
    """Return the caution about few labels: whether intervals rest on the labels alone for it."""
    layout = losses.layout
    by_cluster = layout.cluster is not None
    n = len(layout.cluster_labels) if by_cluster else layout.n_rows
    units = f"labelled {layout.words.clusters if by_cluster else 'rows'}"
    _, counts = np.unique(losses.rows, return_counts=True)
    n_rare = int(layout.n_rows - counts.max())
    by_stratum = layout.judge is not None and layout.judge.stratum is not None
    if n < LEAST_LABELS:
        reason = f"There are {n} {units}, fewer than {LEAST_LABELS}"
        return (_leave_judge_out(reason, by_stratum=by_stratum),)
    if n_rare < LEAST_RARE_LABELS:
        rows = "row differs" if n_rare == 1 else "rows differ"
        reason = (
            f"Only {n_rare} labelled {rows} from the commonest {layout.words.value}, fewer than "
            f"{LEAST_RARE_LABELS}"
        )
        return (_leave_judge_out(reason, by_stratum=by_stratum),)
    if layout.judge is not None and layout.judge.stratum is not None:
        n = int(np.bincount(layout.judge.stratum).min())
        units = "labelled rows in its smallest stratum"
    return (FEW_LABELS(n=n, units=units),) if n < FEW_LABELS.threshold else ()


def _leave_judge_out(reason: str, *, by_stratum: bool) -> Caution:
    return STRATA_OF_LABELS_ALONE(reason=reason) if by_stratum else LABELS_ALONE(reason=reason)


def rests_on_labels(cautions: Iterable[Caution]) -> bool:
    """Return whether intervals rest on the labels alone, by the cautions of ``check_labels``."""
    return any(caution.code in _ON_LABELS for caution in cautions)


def estimate_judged(info: MethodInfo, losses: BlockLosses) -> VarianceEstimate:
    """Return the variance of the prediction-powered mean, with that mean as its estimate.

    With too few labels no interval rests on it. Of strata, whose shares the other variances do not
    know, it is then that of the labels alone.
    """
    from thetahat.numerics.prediction_powered import estimate_mean  # noqa: PLC0415 - few evaluations need it

    sample, design = get_sample(losses), losses.layout.judge
    cautions = check_labels(losses)
    on_labels, by_stratum = rests_on_labels(cautions), sample.stratum is not None
    weight = None if design is None else design.weight
    mean = estimate_mean(sample, 0.0 if on_labels and by_stratum else weight)
    details = {"lambda": mean.weights[0]} if len(mean.weights) == 1 else {}
    return VarianceEstimate(
        value=mean.variance,
        target=info.targets[0],
        mean=MeanKind.POOLED,
        estimate=mean.estimate,
        degrees_of_freedom=mean.degrees_of_freedom,
        usable=(by_stratum or not on_labels) and mean.variance > 0,
        cautions=(*cautions, TRAINING_IGNORED),
        details=details,
    )

"""What candidates are chosen by: the mean loss, or a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.metrics.predictions import judged_from
from thetahat.analyses.selection.internal import InternalEstimate, internal_estimate, within_of
from thetahat.cross_validation import SplitOutcome
from thetahat.cross_validation.outcomes import gathered
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.metrics.base import Judged, Metric
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, MeanKind


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    r"""What is least, or largest, for the candidate that is chosen.

    A metric is no average of losses, and over several splits it is read as it reads itself: the
    areas (``roc_auc``, ``average_precision``) as the average of the splits, since scores of two
    fits are on two scales; those of decisions and values (``f1``, ``balanced_accuracy``,
    ``matthews``, ``r2``) over the rows of all splits together, since one split's value is biased.
    The latter's standard error is that of the sums of influences by split,

    .. math:: s^2 = \frac{J}{J - 1} \sum_j \Bigl(\frac1n \sum_{i \in j} \mathrm{IF}_i\Bigr)^2

    and for one split, of either kind, that of the mean influence of its rows.

    Parameters
    ----------
    metric : Metric or None
        None for the mean loss.

    Assumptions: as for the mean loss, splits vary as independent ones would.

    Source: forman2010 (which mean a metric is read by); hampel1974 (the influence function).
    """

    metric: Metric | None = None

    @property
    def higher_is_better(self) -> bool:
        """Whether the largest is chosen."""
        return self.metric is not None and self.metric.higher_is_better

    @property
    def is_pooled(self) -> bool:
        """Whether the rows of all splits are looked at together."""
        return self.metric is not None and self.metric.fold_mean is MeanKind.POOLED

    @property
    def needs_predictions(self) -> bool:
        """Whether outcomes need more than their losses."""
        return self.metric is not None

    def by_split(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> tuple[list[float], float]:
        """Return the number of each split, NaN where undefined, and ``within`` of the first."""
        if self.metric is None:
            losses = losses_by_split(outcomes)
            return [float(of_one.mean()) for of_one in losses], within_of(losses[0])
        values = []
        within = float("nan")
        for at, outcome in enumerate(outcomes):
            judged = self._judged([outcome], data, name)
            statistic = self.metric.statistic(judged)
            values.append(statistic.value())
            if at == 0 and not np.isnan(values[0]) and judged.n > 1:
                within = within_of(statistic.influence())
        return values, within

    def internal(self, outcomes: Sequence[SplitOutcome], data: Data, name: str) -> InternalEstimate:
        """Return the estimate of one candidate over internal splits."""
        if self.metric is None:
            return internal_estimate(losses_by_split(outcomes))
        means, within = self.by_split(outcomes, data, name)
        pooled = self.pooled(outcomes, data, name) if self.is_pooled else None
        return self.checked(InternalEstimate(means=np.array(means), within=within, pooled=pooled))

    def checked(self, estimate: InternalEstimate) -> InternalEstimate:
        """Return the estimate, refused where there is no number to choose by."""
        if self.metric is not None and np.isnan(estimate.mean):
            raise InsufficientData(
                f"{self.metric.info.name} has no value in any internal split: it is undefined "
                f"{self.metric.undefined()}",
                loc=("select_by",),
            )
        return estimate

    def pooled(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> tuple[float, float]:
        """Return the metric over the rows of all splits and its standard error.

        Over repeats it is the average of each repeat's; NaN where one has none.
        """
        assert self.metric is not None  # noqa: S101 - a mean loss is never pooled
        repeats: dict[int, list[SplitOutcome]] = {}
        for outcome in outcomes:
            repeats.setdefault(outcome.repeat, []).append(outcome)
        values, sums, within = [], [], float("nan")
        for of_one in repeats.values():
            judged = self._judged(of_one, data, name)
            statistic = self.metric.statistic(judged)
            values.append(statistic.value())
            if np.isnan(values[-1]):
                return float("nan"), float("nan")
            influence, starts = statistic.influence(), _starts(of_one)
            sums.extend((np.add.reduceat(influence, starts) / judged.n).tolist())
            within = within_of(influence)
        J = len(sums)
        variance = (
            within if J == 1 else J / (J - 1) * float(np.square(sums).sum()) / len(values) ** 2
        )
        return float(np.mean(values)), float(np.sqrt(variance))

    def _judged(self, outcomes: Sequence[SplitOutcome], data: Data, name: str) -> Judged:
        judged = judged_from(outcomes, data, name)
        if self.metric is not None and self.metric.uses == "scores" and judged.scores is None:
            raise UnsupportedCombination(
                f"{self.metric.info.name} needs scores, and learner {name!r} gave none",
                loc=("candidates", name),
            )
        return judged


def losses_by_split(outcomes: Sequence[SplitOutcome]) -> list[FloatArray]:
    """Return the (n_j,) losses of each split, as views of one array."""
    found = gathered(outcomes)
    return [found.losses[found.rows(place)] for place in range(len(found))]


def _starts(outcomes: Sequence[SplitOutcome]) -> list[int]:
    """Return where each split's rows begin among those of all."""
    starts: list[int] = np.cumsum([0, *(len(one.test) for one in outcomes[:-1])]).tolist()
    return starts

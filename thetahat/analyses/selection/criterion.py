"""The number that candidates are chosen by: the mean loss, or a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.metrics.predictions import collect_predictions
from thetahat.analyses.selection.internal_estimates import (
    InternalEstimate,
    estimate_from_losses,
    estimate_variance_of_mean,
)
from thetahat.cross_validation import SplitOutcome
from thetahat.cross_validation.outcomes import as_outcomes
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, MeanKind


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    r"""The number that is least, or largest, for the chosen candidate.

    A metric is no average of losses. Over several splits the areas (``roc_auc``,
    ``average_precision``) are averaged over the splits, since scores of two fits are on two
    scales. Metrics of decisions and values (``f1``, ``balanced_accuracy``, ``matthews``, ``r2``)
    are computed over the rows of all splits together, since their value for one split is biased.
    Their standard error is that of the sums of influences by split,

    .. math:: s^2 = \frac{J}{J - 1} \sum_j \Bigl(\frac1n \sum_{i \in j} \mathrm{IF}_i\Bigr)^2

    and for one split, with either kind of metric, that of the mean influence of its rows.

    Assumptions: as for the mean loss, the splits vary like independent samples.

    Source: forman2010 (which mean of a metric to use); hampel1974 (the influence function).
    """

    metric: Metric | None = None
    """None for the mean loss."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the candidate with the largest value is chosen."""
        return self.metric is not None and self.metric.higher_is_better

    @property
    def is_pooled(self) -> bool:
        """Whether it is computed over the rows of all splits together."""
        return self.metric is not None and self.metric.fold_mean is MeanKind.POOLED

    @property
    def needs_predictions(self) -> bool:
        """Whether the outcomes need predictions besides losses."""
        return self.metric is not None

    def compute_by_split(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> tuple[list[float], float]:
        """Return the value of each split, NaN where undefined, and the variance of the first."""
        if self.metric is None:
            losses = divide_losses(outcomes)
            return [float(of_split.mean()) for of_split in losses], estimate_variance_of_mean(
                losses[0]
            )
        values = []
        within = float("nan")
        for at, outcome in enumerate(outcomes):
            judged = self._collect_judged([outcome], data, name)
            statistic = self.metric.statistic(judged)
            values.append(statistic.value())
            if at == 0 and not np.isnan(values[0]) and judged.n > 1:
                within = estimate_variance_of_mean(statistic.influence())
        return values, within

    def estimate_internal(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> InternalEstimate:
        """Return the estimate of one candidate over internal splits."""
        if self.metric is None:
            return estimate_from_losses(divide_losses(outcomes))
        means, within = self.compute_by_split(outcomes, data, name)
        pooled = self.compute_pooled(outcomes, data, name) if self.is_pooled else None
        estimate = InternalEstimate(means=np.array(means), within=within, pooled=pooled)
        return self.require_value(estimate)

    def require_value(self, estimate: InternalEstimate) -> InternalEstimate:
        """Return the estimate; one without a number to choose by is refused."""
        if self.metric is not None and np.isnan(estimate.mean):
            raise InsufficientData(
                f"The metric {self.metric.info.name} has no value in any internal split: it is "
                f"undefined {self.metric.undefined_if}.",
                loc=("select_by",),
            )
        return estimate

    def compute_pooled(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> tuple[float, float]:
        """Return the metric over the rows of all splits and its standard error.

        With several repeats it is the average over them; NaN if one of them has no value.
        """
        assert self.metric is not None  # noqa: S101 - a mean loss is never pooled
        repeats: dict[int, list[SplitOutcome]] = {}
        for outcome in outcomes:
            repeats.setdefault(outcome.repeat, []).append(outcome)
        values, sums, within = [], [], float("nan")
        for splits in repeats.values():
            judged = self._collect_judged(splits, data, name)
            statistic = self.metric.statistic(judged)
            values.append(statistic.value())
            if np.isnan(values[-1]):
                return float("nan"), float("nan")
            influence, starts = statistic.influence(), _find_first_rows(splits)
            sums.extend((np.add.reduceat(influence, starts) / judged.n).tolist())
            within = estimate_variance_of_mean(influence)
        J = len(sums)
        variance = (
            within if J == 1 else J / (J - 1) * float(np.square(sums).sum()) / len(values) ** 2
        )
        return float(np.mean(values)), float(np.sqrt(variance))

    def _collect_judged(
        self, outcomes: Sequence[SplitOutcome], data: Data, name: str
    ) -> TruthAndPredictions:
        judged = collect_predictions(outcomes, data, name)
        if self.metric is not None and self.metric.uses == "scores" and judged.scores is None:
            raise UnsupportedCombination(
                f"The metric {self.metric.info.name} needs scores, and the learner {name!r} "
                "returned none.",
                loc=("candidates", name),
            )
        return judged


def divide_losses(outcomes: Sequence[SplitOutcome]) -> list[FloatArray]:
    """Return the (n_j,) losses of each split, as views of one array."""
    all_outcomes = as_outcomes(outcomes)
    n_splits = len(all_outcomes)
    return [all_outcomes.losses[all_outcomes.find_rows(split)] for split in range(n_splits)]


def _find_first_rows(outcomes: Sequence[SplitOutcome]) -> list[int]:
    """Return the place of the first row of each split among the rows of all splits."""
    starts: list[int] = np.cumsum([0, *(len(outcome.test) for outcome in outcomes[:-1])]).tolist()
    return starts

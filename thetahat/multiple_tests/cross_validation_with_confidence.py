"""Lei's cross-validation with confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import INFINITE_STATISTIC, Caution
from thetahat.multiple_tests._resampled_means import (
    SMALL_SAMPLE,
    SmallSample,
    check_n_resamples,
    exceeded,
    inflation,
    multiplier_sums,
    n_resamples_of,
    ratios,
    roundings_of,
    triangular_factor,
)
from thetahat.multiple_tests._rows import Rows, no_difference, row_refusal, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome, alpha_of, check_alpha
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, Target


@dataclass(frozen=True, slots=True)
class CrossValidationWithConfidence:
    r"""The models whose mean loss may be the smallest, each tested against all others.

    .. math::

        T_m = \max_{j \ne m} \frac{\sqrt n\, \bar\xi_{mj}}{\hat\sigma_{mj}}, \qquad
        T^*_{mb} = \max_{j \ne m} \frac{1}{\sqrt n} \sum_i \zeta_{bi}
        \frac{\tilde\xi_{imj}}{\hat\sigma_{mj}}

    with :math:`\xi_{imj}` the loss of model m on instance i less that of model j,
    :math:`\tilde\xi` the same less its mean in the instance's block, :math:`\hat\sigma_{mj}^2`
    the mean of :math:`\tilde\xi_{imj}^2`, and :math:`\zeta_{bi}` standard normal, shared by all
    models. The p-value of model m is the share of B draws with :math:`T^*_{mb} \ge T_m`; models
    with p above alpha are kept. Statistic and p-value of the outcome are those of the largest
    :math:`T_m` against the largest :math:`T^*_{mb}`: that all models are alike.

    Assumes independent instances and stable learners: it speaks of the average test error of the
    models fitted in the blocks, and what another training sample would change is not in it. A
    kept model is not shown to be the best; the best one is kept with probability 1 - alpha at
    least, as n grows.

    Source: lei2020; phipson2010 for the one that is added.

    Deviations: ``student`` multiplies each draw's reference by :math:`\sqrt{n / \chi^2_{n-K}}` with
    K blocks, since the spread is estimated; without it the test is liberal with few instances
    and with small blocks, and the same with many. No models are screened out before the draws
    (conservative, where some are far worse). p = (count + 1) / (B + 1). The draws come from the
    triangular factor of the centred losses, which has the same distribution. Over repeats an
    instance's mean is taken.

    Degenerate cases: a model that loses to another by the same amount on every instance has T
    infinite and p = 0; models with equal losses have equal p-values.

    Parameters
    ----------
    small_sample : str
        ``student``: the reference allows for standard errors that are estimated. ``none``: it does
        not, as in the source.
    alpha : float or None
        In (0, 1). Left out: 1 - the request's level.
    n_resamples : int or None
        B, in 99 to 100 000. Left out: 5000.
    """

    small_sample: SmallSample = "student"
    alpha: float | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="cross_validation_with_confidence",
        title="Cross-validation with confidence",
        summary=(
            "A p-value for each model that no other has a smaller mean loss, and the set of models "
            "that cannot be ruled out as the best."
        ),
        formula=(
            r"T_m = \max_{j \ne m} \sqrt n\, \bar\xi_{mj} / \hat\sigma_{mj}, \quad"
            r" T^*_m = \max_{j \ne m} n^{-1/2} \sum_i \zeta_i \tilde\xi_{imj} / \hat\sigma_{mj}"
        ),
        references=("lei2020", "phipson2010"),
        assumptions="Independent instances, and learners that one instance changes little.",
        errs=(
            "Liberal for unstable learners, and as a statement on the learners rather than on the "
            "fitted models. Conservative for a model that beats some of the others clearly."
        ),
        targets=(Target.THESE_MODELS,),
    )

    def __post_init__(self) -> None:
        check_choice("small_sample", self.small_sample, SMALL_SAMPLE)
        check_alpha(self.alpha)
        check_n_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Refuse clusters, blocks of one, split scores, repeats without names and few models."""
        if layout.cluster is not None:
            return (
                "cross_validation_with_confidence takes instances as independent, and these are "
                "in clusters; model_confidence_set resamples clusters"
            )
        if layout.smallest_block < 2:
            return (
                "cross_validation_with_confidence measures the spread within blocks, and the "
                "smallest has one instance"
            )
        return row_refusal(self.info.name, layout, n_models, "instance")

    def test(self, table: LossTable, rng: np.random.Generator) -> OmnibusOutcome:
        """Test for each model that none has a smaller mean loss."""
        rows = rows_of(table, "instance")
        alpha, roundings = alpha_of(self.alpha), roundings_of(rows.losses)
        shift = float(rows.losses[0, 0])
        means = (rows.losses - shift).mean(axis=0)
        centred = np.column_stack([centred_in_blocks(model) for model in table.models.values()])
        factor = triangular_factor(centred) / len(centred)
        drawn = multiplier_sums(factor, n_resamples_of(self.n_resamples), rng)
        slack = np.maximum(roundings[:, np.newaxis], roundings)
        errors = distances(factor)
        t = ratios(means[:, np.newaxis] - means, errors, slack)
        np.fill_diagonal(t, -np.inf)
        statistics = t.max(axis=1)
        references = largest_of_others(drawn, t, np.where(errors > slack, errors, 0.0))
        n, n_drawn = len(centred), drawn.shape[1]
        inflated = inflation(self.small_sample, n, n - table.layout.n_blocks, n_drawn, rng)
        p_values, largest = np.empty(len(t)), np.full(n_drawn, -np.inf)
        for m, reference in enumerate(references):
            p_values[m] = exceeded(reference * inflated, statistics[m])
            np.maximum(largest, reference, out=largest)
        overall = float(statistics.max())
        kept = [rows.names[m] for m in np.argsort(means, kind="stable") if p_values[m] > alpha]
        return OmnibusOutcome(
            statistic=overall if math.isfinite(overall) else None,
            p_value=exceeded(largest * inflated, overall),
            degrees_of_freedom=None,
            target=rows.target,
            unit=rows.unit,
            cautions=_cautions(rows, overall),
            details={
                "rows": rows.n_rows,
                "alpha": alpha,
                "n_resamples": n_drawn,
                "small_sample": self.small_sample,
                "mean_losses": rows.by_model(shift + means),
                "p_values": rows.by_model(p_values),
                "set": kept,
                "tied": [kept],
            },
        )


def centred_in_blocks(losses: BlockLosses) -> FloatArray:
    """(n,) losses less the mean of their split, an instance's average over repeats."""
    centred = losses.rows - losses.moments.means[losses.layout.split_of_row()]
    return BlockLosses(losses.layout, values=centred).instance_means()


def largest_of_others(drawn: FloatArray, t: FloatArray, errors: FloatArray) -> Iterator[FloatArray]:
    """Yield for each model the (B,) largest standardised deviation from another.

    ``drawn`` is (k, B); ``errors`` (k, k) are 0 where a difference has none. Such a pair takes
    part with 0 where the models are equal, and not at all where one surely has the larger loss.
    """
    inverse = np.divide(1, errors, out=np.zeros_like(errors), where=errors > 0)
    for m in range(len(t)):
        apart = (drawn[m] - drawn) * inverse[m][:, np.newaxis]
        apart[np.isinf(t[m])] = -np.inf
        yield apart.max(axis=0)


def distances(factor: FloatArray) -> FloatArray:
    """(k, k) lengths of the differences of the columns."""
    k = factor.shape[1]
    found = np.zeros((k, k))
    for i in range(1, k):
        apart = factor[:, :i] - factor[:, i : i + 1]
        found[i, :i] = found[:i, i] = np.sqrt(np.einsum("ij,ij->j", apart, apart))
    return found


def _cautions(rows: Rows, statistic: float) -> tuple[Caution, ...]:
    if math.isinf(statistic):
        return (
            *rows.cautions,
            INFINITE_STATISTIC(unit="instance"),
        )
    if statistic == 0:
        return (*rows.cautions, no_difference(rows))
    return rows.cautions


METHOD = CrossValidationWithConfidence

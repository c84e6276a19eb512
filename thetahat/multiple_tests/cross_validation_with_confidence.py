"""Lei's cross-validation with confidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.multiple_tests._loss_rows import build_rows, explain_unfit_rows
from thetahat.multiple_tests._resampled_means import (
    SMALL_SAMPLE,
    SmallSample,
    bound_model_roundings,
    check_n_resamples,
    choose_n_resamples,
    compute_exceedance_p_value,
    compute_triangular_factor,
    draw_inflation_factors,
    draw_multiplier_sums,
    studentise,
)
from thetahat.multiple_tests.base import OmnibusOutcome, choose_alpha
from thetahat.parameter_checks import check_choice, check_probability
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, Target


@dataclass(frozen=True, slots=True)
class CrossValidationWithConfidence:
    r"""The models whose mean loss may be the smallest, each tested against all others.

    In the formula :math:`\xi_{imj}` is the loss of model m on instance i minus that of model j,
    :math:`\tilde\xi` the same minus its mean in the instance's block, :math:`\hat\sigma_{mj}^2` the
    mean of :math:`\tilde\xi_{imj}^2`, and :math:`\zeta_{bi}` standard normal, shared by all models.
    The p-value of model m is the share of B draws with :math:`T^*_{mb} \ge T_m`; models with p
    above alpha are kept. Statistic and p-value of the outcome are those of the largest :math:`T_m`
    against the largest :math:`T^*_{mb}`, for the null hypothesis that all models are alike.

    Deviations: ``student`` multiplies each draw's reference by :math:`\sqrt{n / \chi^2_{n-K}}` with
    K blocks, because the spread is estimated. Without it the test rejects too often with few
    instances or small blocks; with many it makes no difference. No models are screened out before
    the draws, so it rejects too rarely if some are far worse. p = (count + 1) / (B + 1). The draws
    come from the triangular factor of the centred losses, which has the same distribution. Over
    repeats the mean of an instance is used.

    Degenerate cases: a model that loses to another by the same amount on every instance has T
    infinite, and the p-value of :math:`k - 1` exact sign tests of n equal signs. Models with equal
    losses have equal p-values.

    Parameters
    ----------
    small_sample : str
        ``student``: the reference allows for estimated standard errors. ``none``: it does not, as
        in lei2020.
    alpha : float or None
        Level at which models are kept, above 0 and below 1. By default 1 minus the request's level.
    n_resamples : int or None
        B, from 99 to 100 000. By default 5000.
    """

    small_sample: SmallSample = "student"
    alpha: float | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Cross-validation with confidence",
        summary=(
            "Computes for each model the p-value of the hypothesis that no other model is better "
            "on average, and the set of models that cannot be ruled out as the best."
        ),
        formula=(
            r"T_m = \max_{j \ne m} \sqrt n\, \bar\xi_{mj} / \hat\sigma_{mj}, \quad"
            r" T^*_m = \max_{j \ne m} n^{-1/2} \sum_i \zeta_i \tilde\xi_{imj} / \hat\sigma_{mj}"
        ),
        references=("lei2020", "phipson2010"),
        assumptions=(
            "Independent instances, and learners that one training instance more or less "
            "changes little. The test is about the average error of the models fitted in the "
            "blocks."
        ),
        errs=(
            "Rejects too often for unstable learners, and as a statement about the learners "
            "rather than the fitted models. Rejects too rarely for a model that clearly beats "
            "some of the others. A kept model is not shown to be the best; the best one is kept "
            "with probability 1 - alpha or more in large samples."
        ),
        targets=(Target.THESE_MODELS,),
    )

    def __post_init__(self) -> None:
        check_choice("small_sample", self.small_sample, SMALL_SAMPLE)
        check_probability("alpha", self.alpha)
        check_n_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Return why the layout or the number of models does not fit the test, or None."""
        if layout.cluster is not None:
            return (
                "cross_validation_with_confidence needs independent instances, but these come in "
                "clusters; the test model_confidence_set resamples clusters"
            )
        if layout.smallest_block < 2:
            return (
                "cross_validation_with_confidence needs at least two instances in every "
                f"{layout.words.block}, because it measures the spread within {layout.words.blocks}"
            )
        return explain_unfit_rows(self.info.name, layout, n_models, "instance")

    def test(self, table: LossTable, rng: np.random.Generator) -> OmnibusOutcome:
        """Test for each model that no other has a smaller mean loss."""
        rows = build_rows(table, "instance")
        alpha, roundings = choose_alpha(self.alpha), bound_model_roundings(rows.losses)
        shift = float(rows.losses[0, 0])
        means = (rows.losses - shift).mean(axis=0)
        centred = np.column_stack([centre_in_blocks(model) for model in table.models.values()])
        factor = compute_triangular_factor(centred) / len(centred)
        drawn = draw_multiplier_sums(factor, choose_n_resamples(self.n_resamples), rng)
        slack = np.maximum(roundings[:, np.newaxis], roundings)
        errors = compute_column_distances(factor)
        t = studentise(means[:, np.newaxis] - means, errors, slack)
        np.fill_diagonal(t, -np.inf)
        statistics = t.max(axis=1)
        references = find_largest_of_others(drawn, t, np.where(errors > slack, errors, 0.0))
        n, n_drawn = len(centred), drawn.shape[1]
        inflation = draw_inflation_factors(
            self.small_sample, n, n - table.layout.n_blocks, n_drawn, rng
        )
        k = len(t)
        p_values, largest = np.empty(k), np.full(n_drawn, -np.inf)
        for m, reference in enumerate(references):
            p_values[m] = compute_exceedance_p_value(reference * inflation, statistics[m], n, k - 1)
            np.maximum(largest, reference, out=largest)
        overall = float(statistics.max())
        kept_models = [
            rows.names[m] for m in np.argsort(means, kind="stable") if p_values[m] > alpha
        ]
        return OmnibusOutcome(
            statistic=overall if math.isfinite(overall) else None,
            p_value=compute_exceedance_p_value(largest * inflation, overall, n, k * (k - 1)),
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(is_flat=overall == 0, is_infinite=math.isinf(overall)),
            details={
                "rows": rows.n_rows,
                "alpha": alpha,
                "n_resamples": n_drawn,
                "small_sample": self.small_sample,
                **rows.describe_means(shift + means),
                "p_values": rows.by_model(p_values),
                "set": kept_models,
                "tied": [kept_models],
            },
        )


def centre_in_blocks(losses: BlockLosses) -> FloatArray:
    """Return (n,) losses minus the mean of their split, averaged over an instance's repeats."""
    centred = losses.rows - losses.moments.means[losses.layout.get_split_of_row()]
    return BlockLosses(losses.layout, values=centred).compute_instance_means()


def find_largest_of_others(
    drawn: FloatArray, t: FloatArray, errors: FloatArray
) -> Iterator[FloatArray]:
    """Yield for each model the (B,) largest standardised deviations from the other models.

    ``drawn`` is (k, B); ``errors`` (k, k) are 0 for a difference without an error. Such a pair
    counts with 0 if the models are equal, and not at all if one certainly has the larger loss.
    """
    inverse = np.divide(1, errors, out=np.zeros_like(errors), where=errors > 0)
    for m in range(len(t)):
        apart = (drawn[m] - drawn) * inverse[m][:, np.newaxis]
        apart[np.isinf(t[m])] = -np.inf
        yield apart.max(axis=0)


def compute_column_distances(factor: FloatArray) -> FloatArray:
    """Return the (k, k) Euclidean distances of the columns."""
    k = factor.shape[1]
    lengths = np.zeros((k, k))
    for i in range(1, k):
        apart = factor[:, :i] - factor[:, i : i + 1]
        lengths[i, :i] = lengths[:i, i] = np.sqrt(np.einsum("ij,ij->j", apart, apart))
    return lengths

"""Cochran's Q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.multiple_tests._ranks import difference_error, row_statistic
from thetahat.multiple_tests._rows import no_difference, row_refusal, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome, PostHoc
from thetahat.paired_tests._units import subsamples_refusal
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, Target


@dataclass(frozen=True, slots=True)
class CochranQ:
    r"""Test that several classifiers are wrong equally often on the same instances.

    .. math::

        Q = \frac{(L - 1) \bigl(L \sum_j G_j^2 - (\sum_j G_j)^2\bigr)}
        {L \sum_j G_j - \sum_i l_i^2}

    with L models, :math:`G_j` the errors of model j and :math:`l_i` the number of models that
    are wrong on instance i. Reference: chi squared with L - 1 degrees of freedom. It is the same
    for rights as for wrongs, and with two models it would be McNemar's chi squared.

    Assumes independent instances with losses of 0 or 1, a fair number of which tell the models
    apart. On random folds it compares the fitted models, and is liberal as a test of the
    learners.

    Source: cochran1950.

    Pairs: z is the difference of two error rates over the root of its variance over all
    permutations within instances, which is :math:`2 / (n^2 L (L - 1)) \sum_i l_i (L - l_i)`.

    Degenerate cases: where all models are right or wrong together everywhere p = 1 and there is
    no statistic.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="cochran_q",
        title="Cochran's Q",
        summary=(
            "Compares the error counts of several classifiers on the same instances: McNemar's "
            "test for more than two."
        ),
        formula=(r"Q = (L - 1) (L \sum_j G_j^2 - (\sum_j G_j)^2) / (L \sum_j G_j - \sum_i l_i^2)"),
        references=("cochran1950",),
        assumptions="Independent instances with losses of 0 or 1.",
        errs=(
            "Rough where few instances tell the models apart. Over random folds liberal as a test "
            "of the learners: instances of one fold share their models."
        ),
        blocks=frozenset({BlockKind.HOLDOUT, BlockKind.RANDOM}),
        targets=(Target.THESE_MODELS,),
        only_zero_one=True,
    )

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Refuse sources, clusters, several repeats, split scores and too few models."""
        if layout.kind is BlockKind.SOURCE:
            return (
                "cochran_q takes instances as independent, and those of one source resemble others"
            )
        if reason := subsamples_refusal(self.info.name, layout):
            return reason
        if layout.cluster is not None:
            return "cochran_q takes instances as independent, and these are in clusters"
        if layout.n_repeats > 1:
            return (
                "cochran_q counts each instance once, and there are "
                f"{layout.n_repeats} repeats; their mean losses are not 0 or 1"
            )
        return row_refusal(self.info.name, layout, n_models, "instance")

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> OmnibusOutcome:
        """Test that all models err equally often; losses other than 0 or 1 raise."""
        for model in table.models.values():
            if not np.all((model.rows == 0) | (model.rows == 1)):
                raise UnsupportedCombination(
                    "cochran_q needs losses that are all 0 or 1; friedman by instance takes any",
                    loc=("tests",),
                    value="cochran_q",
                )
        rows = rows_of(table, "instance")
        found = row_statistic(rows.losses)
        rates = rows.losses.mean(axis=0)
        mixed = int((rows.losses != rows.losses[:, :1]).any(axis=1).sum())
        return OmnibusOutcome(
            statistic=found.value,
            p_value=found.chi_squared_p(),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=(*rows.cautions, no_difference(rows)) if mixed == 0 else rows.cautions,
            details={
                "rows": rows.n_rows,
                "rows_that_differ": mixed,
                "error_counts": dict(
                    zip(rows.names, rows.losses.sum(axis=0).astype(int).tolist(), strict=True)
                ),
            },
            post_hoc=PostHoc(
                "error_rates",
                tuple(rates.tolist()),
                difference_error(rows.losses) / rows.n_rows,
            ),
        )


METHOD = CochranQ

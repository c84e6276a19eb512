"""Cochran's Q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.multiple_tests._loss_rows import build_rows, explain_unfit_rows
from thetahat.multiple_tests._ranks import compute_row_statistic
from thetahat.multiple_tests.base import OmnibusOutcome, PostHocScores
from thetahat.paired_tests._units import reason_against_dependent_instances
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import BlockKind, Target


@dataclass(frozen=True, slots=True)
class CochranQ:
    r"""Test that several classifiers err equally often on the same instances.

    In the formula there are L models, :math:`G_j` errors of model j and :math:`l_i` models that
    err on instance i. The reference distribution is chi squared with L - 1 degrees of freedom. The
    statistic is the same for correct predictions as for errors; for two models it would be
    McNemar's chi squared.

    Pairs: z is the difference of two error rates over the root of its variance over all
    permutations within instances, :math:`2 / (n^2 L (L - 1)) \sum_i l_i (L - l_i)`.

    Degenerate cases: if on every instance all models err or none does, p = 1 and there is no
    statistic.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Cochran's Q",
        summary=(
            "Compares the numbers of errors of several classifiers on the same instances: "
            "McNemar's test for more than two models."
        ),
        formula=(r"Q = (L - 1) (L \sum_j G_j^2 - (\sum_j G_j)^2) / (L \sum_j G_j - \sum_i l_i^2)"),
        references=("cochran1950",),
        assumptions=(
            "Independent instances with losses of 0 or 1, and many instances on which the "
            "models differ."
        ),
        errs=(
            "Approximate if the models differ on few instances. Over random folds it rejects "
            "too often as a test of the learners, because instances of one fold share their "
            "models."
        ),
        blocks=frozenset({BlockKind.HOLDOUT, BlockKind.RANDOM}),
        targets=(Target.THESE_MODELS,),
        only_zero_one=True,
    )

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Return why the instances or the number of models do not fit the test, or None."""
        if reason := reason_against_dependent_instances(self.info.name, layout):
            return reason
        if layout.n_repeats > 1:
            return (
                f"cochran_q counts each instance once, but there are {layout.n_repeats} repeats, "
                f"whose mean {layout.words.values} are not 0 or 1"
            )
        return explain_unfit_rows(self.info.name, layout, n_models, "instance")

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - draws no random numbers
    ) -> OmnibusOutcome:
        """Test that all models err equally often; raise if a loss is neither 0 nor 1."""
        if not all(is_zero_one(losses.rows) for losses in table.models.values()):
            values = table.layout.words.values
            raise UnsupportedCombination(
                f"cochran_q needs {values} that are all 0 or 1. The test friedman with the unit "
                f"instance accepts any {values}.",
                loc=("tests",),
                value="cochran_q",
            )
        rows = build_rows(table, "instance")
        statistic = compute_row_statistic(rows.losses)
        errors = rows.losses + 1 if rows.are_scores else rows.losses  # a score of 1 is no error
        error_rates = errors.mean(axis=0)
        n_discordant = int((errors != errors[:, :1]).any(axis=1).sum())
        return OmnibusOutcome(
            statistic=statistic.value,
            p_value=statistic.chi_squared_p_value(),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(is_flat=n_discordant == 0),
            details={
                "rows": rows.n_rows,
                "rows_that_differ": n_discordant,
                "error_counts": dict(
                    zip(rows.names, errors.sum(axis=0).astype(int).tolist(), strict=True)
                ),
            },
            post_hoc=PostHocScores(
                "error_rates",
                tuple(error_rates.tolist()),
                statistic.difference_standard_error / rows.n_rows,
            ),
        )

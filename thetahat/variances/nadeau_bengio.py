"""Corrected resampled variance of the mean split loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.block_losses import BlockLosses
from thetahat.errors import InsufficientData
from thetahat.layout import Layout
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.types import BlockKind, Caution, MeanKind, Needs, Target
from thetahat.variances._applicability import wrong_kind
from thetahat.variances._conclusions import FEW, conclude
from thetahat.variances.base import VarianceEstimate

_LARGE_SHARE = 0.15  # the benchmark's intervals cover at a tenth and no longer at a fifth


@dataclass(frozen=True, slots=True)
class NadeauBengio:
    r"""Variance of the mean split loss, corrected for overlapping training sets.

    .. math:: \Bigl(\frac1J + \frac{n_2}{n_1}\Bigr) S^2

    with S^2 the sample variance (ddof 1) of the J split means over all repeats, and n_1, n_2 the
    training and test sizes.

    Assumes that two split means correlate by n_2 / (n_1 + n_2), the share of the test data. That
    is a heuristic, so it may err either way. For random folds with small test parts it is close;
    liberal with large ones, and more repeats make that worse.

    Source: nadeau2003; schulz2024 for how it covers.

    Deviations: where sizes differ, n_2 / n_1 is the sum of the test sizes over the sum of the
    training sizes; the source has equal sizes. The source has random splits; for folds of one
    partition it is the same formula with n_2 / n_1 = 1 / (K - 1), and for source blocks the
    sources are the sample.

    Degenerate cases: equal split means give 0; two splits leave one degree of freedom.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="nadeau_bengio",
        title="Corrected resampled variance (Nadeau and Bengio)",
        summary=(
            "The variance of the split means times 1/J + n_test/n_train: the second term stands "
            "for the correlation that shared training data bring."
        ),
        formula=r"\Bigl(\frac{1}{J} + \frac{n_2}{n_1}\Bigr) S^2",
        references=("nadeau2003", "schulz2024"),
        assumptions="Split means that correlate by the test share n_2 / (n_1 + n_2).",
        errs=(
            "Either way: the correlation is a rule of thumb. Slightly liberal in the largest "
            "benchmark with a tenth of the data for test, much more so with a fifth or more, "
            "where more repeats make it worse."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
        mean=MeanKind.MACRO,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        if reason := wrong_kind(self.info, layout):
            return reason
        if layout.n_train is None:
            return f"{self.info.name} needs the training size of every split (n_train)"
        if layout.n_splits < 2:
            return f"{self.info.name} needs at least two splits, and there is one"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean; for source blocks as that of a new source."""
        layout = losses.layout
        ratio, j = layout.test_to_train_ratio, layout.n_splits
        if ratio is None or j < 2:
            raise InsufficientData(str(self.inapplicable(layout)), loc=("n_train",))
        s2 = float(losses.moments.deviations.var(ddof=1))
        source = layout.kind is BlockKind.SOURCE
        return conclude(
            self.info,
            losses,
            (1 / j + ratio) * s2,
            float(j - 1),
            target=Target.NEW_SOURCE if source else Target.THESE_SOURCES,
            cautions=(*_few_splits(j), *(() if source else _large_test_parts(ratio))),
            details={"test_to_train_ratio": ratio},
        )


def _few_splits(j: int) -> tuple[Caution, ...]:
    if j >= FEW:
        return ()
    message = f"it rests on {j} split means; with fewer than {FEW} the variance itself is uncertain"
    return (Caution("few_blocks", message),)


def _large_test_parts(ratio: float) -> tuple[Caution, ...]:
    share = ratio / (1 + ratio)
    if share <= _LARGE_SHARE:
        return ()
    return (
        Caution(
            "large_test_parts",
            f"each split tests on {share:.3g} of its data; the intervals of the largest benchmark "
            "cover well at a tenth and too seldom from a fifth on",
        ),
    )


METHOD = NadeauBengio

"""What leaves open which of two costs is lower, although the whole set of ratios is on one side."""

from __future__ import annotations

import math
from typing import NamedTuple

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.comparisons import is_clearly_skewed
from thetahat.analyses.losses.pair_family import choose_pair_alpha
from thetahat.analyses.losses.result import CostUndecided
from thetahat.analyses.losses.verdict_basis import SkewedBasis
from thetahat.analyses.thresholds import DEAR, FEWEST_PRICED, FEWEST_UNREMARKED, MISSED
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.intervals.skewness_corrected import LEAST_DEGREES, SkewnessCorrected
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import write_share
from thetahat.values.skewness import compute_skewness_of_mean
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat.variances.iid import Iid


class CostDoubt(NamedTuple):
    """Why costs of rows do not show which mean is lower."""

    code: CostUndecided
    """The reason, as in results."""
    reason: str
    """The same, as the rest of a sentence after a colon."""


def find_doubt(
    lower: FloatArray, higher: FloatArray, layout: Layout, tail: float
) -> CostDoubt | None:
    """Return why the costs do not show that the first ones have the lower mean; None if they do.

    Parameters
    ----------
    lower, higher : ndarray, (n,)
        Costs of the rows, the first ones with the lower mean.
    layout : Layout
        Layout of the rows.
    tail : float
        Level of the one-sided test that allows for few dear rows.
    """
    unseen = _explain_unseen_rows(lower, higher, layout)
    if unseen is not None:
        return CostDoubt("few_rows", unseen)
    if _rests_on_few_rows(BlockLosses(layout, values=lower - higher), tail):
        reason = "a few dear rows decide, and a test that allows for them does not show it."
        return CostDoubt("few_dear_rows", reason)
    return None


def choose_tail(n_pairs: int | None, choices: Choices) -> float:
    """Return the level of a one-sided test of a pair, beside sets that hold for all at once."""
    correction = choices.correction or DEFAULT_CORRECTION
    return choose_pair_alpha(choices.alpha, n_pairs or 1, correction) / 2


def describe_missed_rows(layout: Layout) -> str:
    """Return which kinds of rows so few may miss, as a sentence; empty of many rows."""
    n, units = _count_units(layout)
    if n >= FEWEST_UNREMARKED:
        return ""
    share = write_share(1 - MISSED ** (1 / n))
    return f"Kinds of {units} that are less than {share} of all may be missing among these {n}."


def _explain_unseen_rows(lower: FloatArray, higher: FloatArray, layout: Layout) -> str | None:
    """Return why so few rows do not show that the first costs less; None if they do.

    n rows miss a kind of row that is a share of :math:`1 - .05^{1/n}` of all in .05 of the samples.
    """
    n, units = _count_units(layout)
    if n >= FEWEST_PRICED:
        return None
    share = 1 - MISSED ** (1 / n)
    if float(lower.mean()) * (1 - share + share * DEAR) < float(higher.mean()):
        return None
    return (
        f"among {n} {units} a kind that is {write_share(share)} of all may be missing, and at "
        f"{DEAR:g} times the mean cost it would make up for the difference. Gather {FEWEST_PRICED} "
        "or more."
    )


def _count_units(layout: Layout) -> tuple[int, str]:
    if layout.cluster is None:
        return layout.n_instances, "rows"
    return len(layout.cluster_labels), layout.words.clusters


def _rests_on_few_rows(difference: BlockLosses, tail: float) -> bool:
    """Return whether a mean below 0 is not, at this level, once skewness is allowed for."""
    layout = difference.layout
    n, skewness = layout.n_instances, compute_skewness_of_mean(difference)
    if (
        layout.kind is not BlockKind.HOLDOUT
        or layout.cluster is not None
        or layout.time is not None
    ):
        return False
    if skewness is None or n <= LEAST_DEGREES or not is_clearly_skewed(skewness, n):
        return False
    basis = SkewedBasis(
        difference=float(difference.rows.mean()),
        standard_error=float(difference.rows.std(ddof=1)) / math.sqrt(n),
        degrees_of_freedom=n - 1.0,
        target=Target.THESE_MODELS,
        method=SkewnessCorrected.info.name,
        variance=Iid.info.name,
        skewness=skewness,
    )
    return basis.compute_p_value_of_not_worse(0.0, higher_is_better=False) > tail

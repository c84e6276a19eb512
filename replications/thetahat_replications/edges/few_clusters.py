"""Coverage with 4 to 10 clusters: t on CR1 and CR2, Hall's interval, and the wild bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.intervals.wild_cluster import WildCluster
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat_replications.edges.clustered_losses import (
    LOSSES,
    compute_cr1,
    compute_true_sd,
    draw_sizes,
)
from thetahat_replications.edges.simulated_intervals import (
    LEVEL,
    WHAT_IS_SHOWN,
    measure_ends,
    measure_t_rule,
    name_columns,
)
from thetahat_replications.edges.table import TableCell, TableRow

CLUSTERS: Final = (4, 6, 8, 10)
SHARED: Final = 0.3

TITLE: Final = "Means over few clusters"
ABOUT: Final = f"""
The mean of all losses, with 15 losses in each cluster (equal) or 2 to 50 (unequal), correlated by
{SHARED:g} within a cluster. Old is t on CR1 with C - 1 degrees; CR2 is t on today's
`cluster_robust`, which verdicts and differences use; Hall is `skewness_corrected` on it, which is
recommended for the losses of a model, or t where it has fewer than four degrees of freedom; wild is
`wild_cluster`, by request.
{WHAT_IS_SHOWN}
Reading: with equal clusters, and with four, t on CR2 is shorter than wild, and holds its level for
differences and normal losses. With six to ten unequal clusters wild is as long or shorter than t on
CR2, finds about as much or more, and covers more often. Beside Hall, which is t here with eight
unequal clusters or fewer, wild is shorter by a quarter with ten unequal clusters and covers about
as often, but less often for an error rate of .1 (.85 against .90); with eight and ten equal
clusters Hall covers skewed losses and rare errors more often, by .03 to .05. So neither is better
throughout, and wild is offered by request. It could not replace t on CR2 where verdicts, margins
and plans need a standard error. For an error rate of .1 nothing holds with ten clusters or fewer
(.73 to .93), which the caution `few_clusters` says.
"""


COLUMNS: Final = f"clusters | sizes | losses | {name_columns('old', 'CR2', 'Hall', 'wild')}"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the four intervals, by clusters and losses."""
    rng = np.random.default_rng(seed)
    for n_clusters in CLUSTERS:
        for words, sizes in (
            ("equal", np.full(n_clusters, 15)),
            ("unequal", draw_sizes(n_clusters, 50)),
        ):
            cluster = np.repeat(np.arange(n_clusters), sizes)
            layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)
            for losses, draw in LOSSES.items():
                drawn = (draw(rng, cluster, SHARED) for _ in range(repetitions))
                samples = [BlockLosses(layout, values=values) for values in drawn]
                measured = _measure(samples, n_clusters - 1.0, compute_true_sd(sizes, SHARED))
                yield (n_clusters, words, losses, *measured)


def _measure(
    samples: list[BlockLosses], old_degrees: float, true_sd: float
) -> tuple[TableCell, ...]:
    """Return the cells of the four intervals on the same samples."""
    estimates, errors, degrees, old_errors = np.empty((4, len(samples)))
    hall, wild = np.zeros((2, 2, len(samples)))
    for r, losses in enumerate(samples):
        variance = ClusterRobust().estimate(losses)
        estimates[r], errors[r] = variance.estimate, variance.standard_error
        degrees[r] = variance.degrees_of_freedom
        cluster = losses.layout.cluster
        assert cluster is not None  # noqa: S101 - the layout has clusters
        old_errors[r] = compute_cr1(losses.rows, cluster)
        for methods, ends in (((SkewnessCorrected(), StudentT()), hall), ((WildCluster(),), wild)):
            intervals = (
                method.build(losses, ClusterRobust.info, variance, LEVEL, Alternative.TWO_SIDED)
                for method in methods
            )
            interval = next((each for each in intervals if each is not None), None)
            if interval is not None:
                ends[:, r] = interval.lower, interval.upper
    return (
        *measure_t_rule(estimates, old_errors, old_degrees, true_sd),
        *measure_t_rule(estimates, errors, degrees, true_sd),
        *measure_ends(hall[0], hall[1], true_sd),
        *measure_ends(wild[0], wild[1], true_sd),
    )

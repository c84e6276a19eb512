"""Coverage of means over clusters of unequal size: CR1 with C - 1 degrees, and CR2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat_replications.edges.clustered_losses import (
    LOSSES,
    compute_cr1,
    compute_true_sd,
    draw_sizes,
)
from thetahat_replications.edges.simulated_intervals import (
    WHAT_IS_SHOWN,
    measure_t_rule,
    name_columns,
)
from thetahat_replications.edges.table import TableRow

DESIGNS: Final = (
    (20, 50, 0.3),
    (10, 50, 0.3),
    (8, 50, 0.5),
    (30, 50, 0.1),
    (20, 200, 0.3),
    (10, 2, 0.3),
)
"""Number of clusters, size of the largest (the smallest has 2), and correlation within."""

TITLE: Final = "Means over clusters of unequal size"
ABOUT: Final = f"""
The mean of all losses, with the variance `cluster_robust`. The old rule is CR1 with as many degrees
of freedom as clusters less one; today's is CR2 with those of Bell and McCaffrey. Sizes are spread
evenly on the log scale.
{WHAT_IS_SHOWN}
"""


_RULES: Final = name_columns("CR1, t(C - 1)", "CR2, Bell-McCaffrey")
COLUMNS: Final = f"clusters | losses | {_RULES} | degrees"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of both rules, by clusters and losses."""
    rng = np.random.default_rng(seed)
    for n_clusters, largest, shared in DESIGNS:
        sizes = draw_sizes(n_clusters, largest)
        cluster = np.repeat(np.arange(n_clusters), sizes)
        layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)
        for losses, draw in LOSSES.items():
            estimates, errors, degrees, old_errors = np.empty((4, repetitions))
            for r in range(repetitions):
                values = draw(rng, cluster, shared)
                variance = ClusterRobust().estimate(BlockLosses(layout, values=values))
                estimates[r], errors[r] = variance.estimate, variance.standard_error
                degrees[r] = variance.degrees_of_freedom
                old_errors[r] = compute_cr1(values, cluster)
            true_sd = compute_true_sd(sizes, shared)
            yield (
                f"{n_clusters} of 2 to {largest}, ICC {shared:g}",
                losses,
                *measure_t_rule(estimates, old_errors, n_clusters - 1.0, true_sd),
                *measure_t_rule(estimates, errors, degrees, true_sd),
                float(np.mean(degrees)),
            )

"""What takes instances as independent says so where they come in clusters."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, Needs
from thetahat.variances import VARIANCES

ROWS = np.random.default_rng(5).random(24)
CLUSTERS = np.repeat(np.arange(8), 3)


def _codes(kind: BlockKind, name: str, *, clusters: bool) -> set[str]:
    block = np.zeros(24, dtype=int) if kind is BlockKind.HOLDOUT else np.repeat(np.arange(4), 6)
    layout = build_layout(kind, block, cluster=CLUSTERS if clusters else None)
    method = VARIANCES[name]()
    if method.inapplicable(layout) is not None:
        return set()
    return {caution.code for caution in method.estimate(BlockLosses(layout, values=ROWS)).cautions}


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT])
def test_exact_every_variance_of_single_losses_warns_of_clusters(kind: BlockKind) -> None:
    warned = {
        name
        for name in VARIANCES
        if not VARIANCES[name].info.by_request_only
        and "ignores_clusters" in _codes(kind, name, clusters=True)
    }
    expected = {
        BlockKind.RANDOM: {"theta_4", "theta_5", "bayle_all_pairs", "bayle_within", "theta_2"},
        BlockKind.SOURCE: {"theta_A", "theta_B", "theta_omega"},
        BlockKind.HOLDOUT: {"iid"},
    }
    assert warned == expected[kind]
    assert all(VARIANCES[name].info.needs is Needs.LOSSES for name in warned)


def test_exact_without_clusters_nothing_is_said_of_them() -> None:
    for kind in (BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT):
        for name in VARIANCES:
            if not VARIANCES[name].info.by_request_only:
                assert "ignores_clusters" not in _codes(kind, name, clusters=False)

"""An evaluation says where clusters lie in several blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.thetahat.analyses.losses.tables import evaluated
from thetahat.analyses.losses import Choices
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind


def _sentences(
    kind: BlockKind,
    block: Sequence[int],
    cluster: Sequence[int] | None,
    repeat: Sequence[int] | None = None,
) -> list[str]:
    layout = build_layout(kind, list(block), repeat=repeat, cluster=cluster)
    rows = np.random.default_rng(2).random(len(block))
    result = evaluated(LossTable(layout, {"a": BlockLosses(layout, values=rows)}), Choices(), 1)
    return [c["message"] for c in result["cautions"] if c["code"] == "clusters_cross_blocks"]


BLOCKS = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE])
def test_exact_two_of_three_clusters_cross(kind: BlockKind) -> None:
    # clusters 7 and 9 lie in both blocks, 8 in the first alone
    (sentence,) = _sentences(kind, BLOCKS, [7, 8, 9, 9, 7, 7])
    assert sentence.startswith("2 of 3 clusters have instances in both training and test parts")


def test_exact_a_cluster_counts_once_over_repeats() -> None:
    # cluster 1 crosses in both repeats, cluster 2 in the second alone
    blocks, clusters = [0, 0, 1, 1, 0, 1, 0, 1], [1, 2, 1, 3, 1, 1, 2, 2]
    (sentence,) = _sentences(BlockKind.RANDOM, blocks, clusters, [0, 0, 0, 0, 1, 1, 1, 1])
    assert sentence.startswith("2 of 3 clusters")


def test_exact_no_caution_if_no_cluster_crosses_blocks() -> None:
    assert _sentences(BlockKind.RANDOM, BLOCKS, [1, 1, 2, 3, 3, 3]) == []
    assert _sentences(BlockKind.RANDOM, BLOCKS, None) == []
    assert _sentences(BlockKind.HOLDOUT, [0] * 6, [1, 2, 1, 2, 1, 2]) == []

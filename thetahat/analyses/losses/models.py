"""One model's part of a result: its means, variances, intervals and weighted risks."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.analyses.losses.inference import Inference, interval_told, variance_told
from thetahat.values.block_losses import BlockLosses
from thetahat.values.json_values import plain


def model_told(losses: BlockLosses, inference: Inference) -> dict[str, Any]:
    """Return what the result says of one model, but for its risks."""
    layout = losses.layout
    told: dict[str, Any] = {
        "mean": means(losses),
        "n": layout.n_instances,
        "blocks": layout.n_blocks,
        "variances": {key: variance_told(value) for key, value in inference.estimates.items()},
        "intervals": [interval_told(built.interval) for built in inference.built],
    }
    if inference.own_estimates:
        told["estimates"] = estimates_told(inference)
    return told


def estimates_told(inference: Inference) -> dict[str, Any]:
    """Return the estimates of the error in their own right, each with the intervals on it."""
    told = {key: variance_told(value) for key, value in inference.own_estimates.items()}
    return {
        key: {
            "estimate": fields.pop("estimate"),
            "variance": fields.pop("value"),
            **fields,
            "intervals": [
                interval_told(built.interval)
                for built in inference.built
                if built.interval.variance == key
            ],
        }
        for key, fields in told.items()
    }


def means(losses: BlockLosses) -> dict[str, Any]:
    """Return both means and the blocks' means, in the order of ``block_labels``.

    With repeats ``blocks`` averages each block over them, and ``splits`` has all J means.
    """
    layout, moments = losses.layout, losses.moments
    times = np.bincount(layout.split_block, minlength=len(layout.block_labels))
    sums = np.bincount(layout.split_block, weights=moments.deviations)
    told: dict[str, Any] = {
        "macro": plain(moments.macro_mean),
        "pooled": plain(moments.pooled_mean),
        "blocks": plain(moments.shift + sums / times),
    }
    if layout.n_repeats > 1:
        told["splits"] = plain(moments.means)
    return told

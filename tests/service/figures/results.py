"""Results of evaluations as JSON, with as many models as a test wants."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np


def interval(estimate: float, half: float, target: str = "new_source") -> dict[str, Any]:
    """Return an interval of a result."""
    return {
        "method": "student_t",
        "variance": "nadeau_bengio",
        "target": target,
        "mean": "macro",
        "estimate": estimate,
        "standard_error": half / 2,
        "level": 0.95,
        "alternative": "two_sided",
        "lower": estimate - half,
        "upper": estimate + half,
        "degrees_of_freedom": 19.0,
        "recommended": True,
        "cautions": [],
    }


def evaluation(n_models: int, n_blocks: int = 20, margin: float | None = 0.02) -> dict[str, Any]:
    """Return the result of models that were compared on sources; the first one is the best."""
    rng = np.random.default_rng(20_261_122)
    names = [f"model {i}" for i in range(n_models)]
    blocks = rng.uniform(0.1, 0.4, n_blocks) + 0.01 * np.arange(n_models)[:, None]
    blocks += rng.normal(0, 0.02, blocks.shape)
    means = dict(zip(names, blocks.mean(axis=1).tolist(), strict=True))
    models = {
        name: {
            "mean": {"macro": means[name], "pooled": means[name], "blocks": row.tolist()},
            "n": 10 * n_blocks,
            "blocks": n_blocks,
            "recommended": {
                "these_sources": interval(means[name], 0.02, "these_sources"),
                "new_source": interval(means[name], 0.05),
            },
            "prediction": interval(means[name], 0.15),
        }
        for name, row in zip(names, blocks, strict=True)
    }
    comparisons = [_compare(a, b, means[a] - means[b], margin) for a, b in combinations(names, 2)]
    order = sorted(names, key=lambda name: means[name])
    return {
        "kind": "losses",
        "summary": {
            "best_model": order[0],
            "target": "new_source",
            "level": 0.95,
            "better": "lower",
            "margin": margin,
            "models": [{"name": name} for name in order[:20]],
        },
        "models": models,
        "detail": "full",
        "comparisons": comparisons,
        "omnibus": {},
        "covariance": {"models": {}},
        "block_labels": [f"school {i}" for i in range(n_blocks)],
        "unit": {"singular": "school", "plural": "schools"},
        "cautions": [],
    }


def _compare(a: str, b: str, difference: float, margin: float | None) -> dict[str, Any]:
    half = 0.03
    decision = "better" if difference + half < 0 else "undecided"
    if difference - half > 0:
        decision = "worse"
    return {
        "a": a,
        "b": b,
        "difference": difference,
        "interval": interval(difference, half),
        "tests": {},
        "verdict": {
            "decision": decision,
            "p_value": 0.03,
            "p_value_adjusted": 0.06,
            "margin": margin,
        },
    }

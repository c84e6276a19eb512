"""A request of kind ``losses`` for every kind of layout, with zero-one losses of three models."""

from __future__ import annotations

from typing import Any

import numpy as np

MODELS = ("a", "b", "c")


def _ones(shape: tuple[int, ...] | int, seed: int) -> Any:
    """Zero-one losses that differ within every block and between the blocks."""
    losses = (np.random.default_rng(seed).random(shape) < 0.2 + 0.1 * seed).astype(float)
    rows = losses.reshape(-1, losses.shape[-1])
    rows[:, 0] = 0
    rows[1::2, -1] = 1
    return rows.reshape(losses.shape).tolist()


def _matrix(k: int = 6, m: int = 8) -> dict[str, Any]:
    return {name: _ones((k, m), i) for i, name in enumerate(MODELS, 1)}


def _long(n: int) -> dict[str, Any]:
    return {name: np.ravel(_ones((n // 4, 4), i)).tolist() for i, name in enumerate(MODELS, 1)}


def _repeated(n_repeats: int, n_folds: int, n: int, **fields: Any) -> dict[str, Any]:
    """Every instance once in each repeat, in a fold that differs from repeat to repeat."""
    instance = np.tile(np.arange(n), n_repeats)
    repeat = np.repeat(np.arange(n_repeats), n)
    return {
        "losses": _long(n * n_repeats),
        "block": ((instance // (repeat + 1)) % n_folds).tolist(),
        "repeat": repeat.tolist(),
        "instance": instance.tolist(),
        **fields,
    }


def _scores(j: int, **fields: Any) -> dict[str, Any]:
    rng = np.random.default_rng(8)
    scores = {name: rng.random(j).round(3).tolist() for name in MODELS}
    return {"split_scores": scores, "n_train": 90, "n_test": 10, "better": "lower", **fields}


def _without(body: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in fields}


LAYOUTS: dict[str, dict[str, Any]] = {
    "random": {"losses": _matrix(), "blocks": "random"},
    "random, two blocks": {"losses": _matrix(2), "blocks": "random"},
    "random, clusters": {
        "losses": _long(48),
        "block": [i % 4 for i in range(48)],
        "cluster": [i // 6 for i in range(48)],
        "blocks": "random",
    },
    "random, repeats": _repeated(3, 4, 24, blocks="random"),
    "random, repeats of unnamed instances": _without(
        _repeated(3, 4, 24, blocks="random"), "instance"
    ),
    "random, five by two": _repeated(5, 2, 24, blocks="random"),
    "leave-one-out": {"losses": _long(24), "block": list(range(24)), "blocks": "random"},
    "source": {"losses": _matrix(), "blocks": "source"},
    "source, repeats": _repeated(2, 4, 24, blocks="source"),
    "source, one instance each": {
        "losses": _long(24),
        "block": list(range(24)),
        "blocks": "source",
    },
    "holdout": {"losses": _long(48), "blocks": "holdout"},
    "holdout, clusters": {
        "losses": _long(48),
        "cluster": [i // 4 for i in range(48)],
        "blocks": "holdout",
    },
    "holdout, one instance": {"losses": {"a": [0.0], "b": [1.0], "c": [0.0]}, "blocks": "holdout"},
    "subsamples": {
        "losses": _long(48),
        "block": [i // 8 for i in range(48)],
        "instance": [(5 * i) % 30 for i in range(48)],
        "n_train": 24,
        "blocks": "subsamples",
    },
    "subsamples of unnamed instances": {
        "losses": _long(48),
        "block": [i // 8 for i in range(48)],
        "blocks": "subsamples",
    },
    "split scores": _scores(10, blocks="random"),
    "split scores, five by two": _scores(10, folds=2, repeats=5, blocks="random"),
    "split scores of sources": _scores(6, blocks="source"),
    "split scores of subsamples": _scores(12, blocks="subsamples"),
}

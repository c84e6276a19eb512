"""Labels that look alike have a caution, wherever labels come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind

N = 24
LOSSES = np.random.default_rng(2).random((2, N)).round(3).tolist()
PAIRS = [
    ("x", "x "),
    ("x", "X"),
    ("1", "1.0"),
    ("1", "01"),
    ("é", "e\u0301"),
    ("0.5", "0.50"),
    ("\uff21", "a"),
]
UNLIKE = [
    ("x", "y"),
    ("1", "10"),
    ("1", "-1"),
    ("x1", "x01"),
    ("12345678901234567890", "12345678901234567891"),
]


def labels_of(pair: tuple[str, str]) -> list[str]:
    return [*pair, "other"] * (N // 3)


def bodies_of(labels: list[str]) -> dict[str, tuple[str, dict[str, Any]]]:
    losses = {"kind": "losses", "losses": {"a": LOSSES[0], "b": LOSSES[1]}}
    truth = [i % 2 for i in range(N)]
    predictions = {"kind": "predictions", "loss": "zero_one", "y": truth}
    fit: dict[str, Any] = {
        "kind": "cross_validation",
        "task": "regression",
        "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
        "learners": {"mean": "mean"},
        "data": {"X": [[x] for x in LOSSES[0]], "y": LOSSES[1]},
    }
    guesses = {"m": truth[::-1]}
    return {
        "sources of losses": ("sources", {**losses, "blocks": "source", "block": labels}),
        "blocks of losses": ("blocks", {**losses, "blocks": "random", "block": labels}),
        "clusters of losses": ("clusters", {**losses, "blocks": "holdout", "cluster": labels}),
        "clusters of predictions": (
            "clusters",
            {**predictions, "blocks": "holdout", "predictions": guesses, "cluster": labels},
        ),
        "sources of predictions": (
            "sources",
            {**predictions, "blocks": "source", "predictions": guesses, "block": labels},
        ),
        "items of losses": (
            "items",
            {
                **losses,
                "blocks": "holdout",
                "instance": [
                    *labels[:3],
                    *(f"q{'abcdefghijklmnopqrstu'[i]}" for i in range(N - 3)),
                ],
            },
        ),
        "ratings": ("categories", {"kind": "agreement", "ratings": {"r": labels, "s": labels}}),
        "clusters of ratings": (
            "clusters",
            {"kind": "agreement", "ratings": {"r": truth, "s": truth[::-1]}, "cluster": labels},
        ),
        "clusters of data": ("clusters", {**fit, "data": {**fit["data"], "cluster": labels}}),
        "true and predicted": (
            "labels",
            {
                **predictions,
                "blocks": "holdout",
                "y": [labels[0], labels[2]] * (N // 2),
                "predictions": {"m": [labels[1], labels[2]] * (N // 2)},
            },
        ),
    }


def find_cautions(body: dict[str, Any]) -> list[str]:
    result = run_kind(body).result
    return [c["message"] for c in result["cautions"] if c["code"] == "labels_alike"]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("place", bodies_of([*"xyz"]))
def test_exact_labels_that_look_alike_have_a_caution(place: str, pair: tuple[str, str]) -> None:
    what, body = bodies_of(labels_of(pair))[place]
    (message,) = find_cautions(body)

    first, second = sorted(pair)
    assert message.startswith(f"The {what} {first!a} and {second!a} differ only in")


@pytest.mark.parametrize("pair", UNLIKE)
@pytest.mark.parametrize("place", bodies_of([*"xyz"]))
def test_exact_other_labels_have_none(place: str, pair: tuple[str, str]) -> None:
    assert find_cautions(bodies_of(labels_of(pair))[place][1]) == []

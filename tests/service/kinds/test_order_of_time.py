"""Losses and predictions in the order of time, in every form that a request has for them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.service.kinds.run_requests import parquet_file, run_kind
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat_service.kinds.kept_losses import read_kept_losses

N = 24
RNG = np.random.default_rng(61)
LOSSES = {name: np.round(RNG.gamma(2.0, size=N), 3).tolist() for name in ("new", "old")}
DAYS = [date(2026, 1, 1) + timedelta(days=3 * i) for i in range(N)]
SHUFFLED = RNG.permutation(N).tolist()
REQUEST: dict[str, Any] = {"kind": "losses", "blocks": "holdout", "losses": LOSSES}


def shuffled(values: list[Any]) -> list[Any]:
    return [values[i] for i in SHUFFLED]


def recommended(result: dict[str, Any]) -> Any:
    models = result["models"].values()
    return [i for model in models for i in model["intervals"] if i["recommended"]]


def test_exact_every_form_of_times_says_the_same(tmp_path: Path) -> None:
    inline = run_kind({**REQUEST, "time": [str(day) for day in DAYS]}).result
    forms: list[list[Any]] = [
        [str(day) for day in DAYS],
        DAYS,
        [datetime(day.year, day.month, day.day, tzinfo=UTC) for day in DAYS],
        [i / 4 - 1 for i in range(N)],
        [10**18 + i for i in range(N)],
    ]
    for i, times in enumerate(forms):
        (tmp_path / str(i)).mkdir()
        columns = {name: shuffled(values) for name, values in LOSSES.items()}
        file = parquet_file(tmp_path / str(i), {**columns, "when": shuffled(times)})
        stored = {
            "kind": "losses",
            "blocks": "holdout",
            "dataset": str(file.id),
            "columns": {"losses": ["new", "old"], "time": "when"},
        }
        found = run_kind(stored, [file]).result
        for ours, expected in zip(recommended(found), recommended(inline), strict=True):
            assert ours["variance"] == expected["variance"] == "newey_west"
            assert ours["standard_error"] == pytest.approx(expected["standard_error"])


def test_exact_kept_losses_keep_their_times(tmp_path: Path) -> None:
    request = {
        **REQUEST,
        "losses": {name: shuffled(values) for name, values in LOSSES.items()},
        "time": shuffled([str(day) for day in DAYS]),
    }
    ran = run_kind(request)
    assert ran.losses is not None
    pq.write_table(ran.losses, tmp_path / "losses.parquet")
    kept = read_kept_losses(tmp_path / "losses.parquet")

    assert kept is not None
    assert kept.layout.time is not None
    assert kept.layout.time.tolist() == SHUFFLED
    assert kept.layout.time_labels == tuple(str(day) for day in DAYS)


def test_exact_predictions_in_time_have_a_variance_of_time_and_say_what_metrics_ignore() -> None:
    truth = RNG.integers(0, 2, size=N).tolist()
    guesses = {name: RNG.integers(0, 2, size=N).tolist() for name in ("new", "old")}
    result = run_kind(
        {
            "kind": "predictions",
            "blocks": "holdout",
            "y": truth,
            "predictions": guesses,
            "loss": "zero_one",
            "metrics": ["f1"],
            "time": list(range(N)),
        }
    ).result

    assert {interval["variance"] for interval in recommended(result)} == {"newey_west"}
    metric = result["models"]["new"]["metrics"]["f1"]
    codes = {c["code"] for v in metric["variances"].values() for c in v["cautions"]}
    assert "ignores_time" in codes


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"time": list(range(N - 1))}, "The field time has 23 entries, and there are 24 losses"),
        ({"time": [*range(N - 1), "x"]}, "are texts and whole numbers: 0 in entry 0, and 'x' in"),
        ({"time": list(range(N)), "weights": [1.0] * N}, "weights do not go with time"),
        ({"time": ["soon"] * N}, "is not a date or time that can be sorted"),
        ({"time": list(range(N)), "cluster": [0, 1] * 12}, "time and cluster cannot be sent"),
        ({"time": list(range(N)), "blocks": "source", "block": [0, 1] * 12}, "one test set"),
    ],
)
def test_invalid_times_are_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises((InvalidParameter, EvaluationError), match=match):
        run_kind({**REQUEST, **change})

"""Kind ``losses`` with the grades of a judge, inline and from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.thetahat.numerics.judged_samples import VECTORS
from thetahat.errors import EvaluationError

INPUTS = VECTORS["ppi_paired_difference"]["inputs"]
LOSSES = {m: [*INPUTS["labelled"][m], *[None] * 210] for m in "ab"}
GRADES = {m: INPUTS["judge_on_labelled"][m] + INPUTS["judge_on_unlabelled"][m] for m in "ab"}
INLINE: dict[str, Any] = {
    "kind": "losses",
    "blocks": "holdout",
    "losses": LOSSES,
    "judge": {"losses": GRADES},
}


def as_floats(values: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else float(value) for value in values]


def test_exact_a_file_says_the_same(tmp_path: Path) -> None:
    columns = {m: as_floats(LOSSES[m]) for m in "ab"} | {f"{m}_judge": GRADES[m] for m in "ab"}
    file = parquet_file(tmp_path, columns)
    stored = {
        "kind": "losses",
        "blocks": "holdout",
        "dataset": str(file.id),
        "columns": {"losses": ["a", "b"], "judge": {"losses": ["a_judge", "b_judge"]}},
    }

    assert run_kind(stored, [file]).result == run_kind(INLINE).result


def test_exact_strata_folds_and_clusters_of_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n, labelled = 240, 60
    labels = np.where(np.arange(n) < labelled, rng.normal(size=n), np.nan)
    grades = rng.normal(size=(2, n))
    stratum = ["x", "y"] * (n // 2)
    fold = [i // 2 % 2 if i < labelled else None for i in range(n)]
    file = parquet_file(
        tmp_path,
        {
            "m": labels.tolist(),
            "g0": grades[0].tolist(),
            "g1": grades[1].tolist(),
            "s": stratum,
            "f": as_floats(fold),
            "c": list(range(n)),
        },
    )
    of_file = {"losses_by_fold": [["g0", "g1"]], "fold": "f", "stratum": "s"}
    stored = {
        "kind": "losses",
        "blocks": "holdout",
        "dataset": str(file.id),
        "columns": {"losses": ["m"], "cluster": "c", "judge": of_file},
        "judge": {"lambda": 0.5},
    }
    inline = {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"m": [None if np.isnan(v) else v for v in labels.tolist()]},
        "cluster": list(range(n)),
        "judge": {
            "losses_by_fold": {"m": grades.tolist()},
            "fold": fold,
            "stratum": stratum,
            "lambda": 0.5,
        },
    }

    found = run_kind(stored, [file]).result

    assert found == run_kind(inline).result
    judge = found["models"]["m"]["judge"]
    assert judge["lambda_by_stratum"] == {"x": 0.5, "y": 0.5}
    interval = found["models"]["m"]["recommended"]["these_models"]
    assert interval["variance"] == "prediction_powered_clusters"


@pytest.mark.parametrize(
    ("fields", "place", "words"),
    [
        ({"judge": {"losses": {"a": GRADES["a"][1:], "b": GRADES["b"]}}}, "judge.losses.a", "279"),
        (
            {"judge": {"losses": {"a": [None, *GRADES["a"][1:]], "b": GRADES["b"]}}},
            "judge.losses.a.0",
            "Row 0 has no finite grade",
        ),
        ({"losses": {m: [1, *[None] * 279] for m in "ab"}}, "losses.a", "1 labelled rows"),
        ({"losses": {m: [[1, 0], [0, 1]] for m in "ab"}}, "losses.a", "without lists"),
        ({"missing": "leave_out"}, "missing", "does not go with a judge"),
        ({"blocks": "source"}, "blocks", "one test set"),
        ({"correction": "max_t"}, "correction", "joint distribution"),
    ],
)
def test_invalid_requests(fields: Any, place: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words) as caught:
        run_kind({**INLINE, **fields})
    assert ".".join(map(str, place_of(caught.value))) == place


def test_invalid_columns(tmp_path: Path) -> None:
    columns = {"a": as_floats(LOSSES["a"]), "j": GRADES["a"], "b": as_floats(LOSSES["b"])}
    file = parquet_file(tmp_path, columns)
    body: dict[str, Any] = {
        "kind": "losses",
        "blocks": "holdout",
        "dataset": str(file.id),
        "columns": {"losses": ["a", "b"], "judge": {"losses": ["j"]}},
    }
    with pytest.raises(EvaluationError, match="has 1 entries, and there are 2 columns"):
        run_kind(body, [file])
    body["judge"] = {"losses": GRADES}
    with pytest.raises(EvaluationError, match="is a column; name it in columns"):
        run_kind(body, [file])
    body["columns"] = {"losses": ["a", "b"]}
    with pytest.raises(EvaluationError, match=r"needs columns\.judge"):
        run_kind(body, [file])

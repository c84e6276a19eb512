"""A column that is text because of a few cells is refused with these cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest

ROWS = [(i / 7, i % 2) for i in range(30)]
CELLS = ["mean", "12?", "0.5 ms", "<1", "1/2", "1.2.3"]
FILES = {
    "text/csv": lambda cell: "\n".join(["a,y", *(f"{a},{y}" for a, y in ROWS), f"{cell},1"]),
    "application/jsonl": lambda cell: "\n".join(
        json.dumps({"a": a, "y": y}) for a, y in [*ROWS, (cell, 1)]
    ),
}
REQUESTS: dict[str, dict[str, Any]] = {
    "losses": {"kind": "losses", "blocks": "holdout", "columns": {"losses": ["a", "y"]}},
    "predictions": {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "squared",
        "columns": {"target": "a", "predictions": {"m": "y"}},
    },
    "bootstrap": {"kind": "bootstrap", "statistic": "mean", "columns": {"x": "a"}},
}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("kind", REQUESTS)
def test_exact_the_cell_of_a_text_is_named(tmp_path: Path, kind: str, cell: str) -> None:
    file = uploaded(tmp_path, "text/csv", FILES["text/csv"](cell).encode())
    words = f"30 of its 31 values are numbers; the others are {cell!r} in row 30. Correct"
    with pytest.raises((EvaluationError, InvalidRequest)) as refusal:
        run_kind({**REQUESTS[kind], "dataset": str(file.id)}, [file])

    assert words in str(refusal.value)


@pytest.mark.parametrize("media_type", FILES)
def test_exact_the_cell_of_a_feature_is_named(tmp_path: Path, media_type: str) -> None:
    file = uploaded(tmp_path, media_type, FILES[media_type]("mean").encode())
    body = {
        "kind": "cross_validation",
        "task": "classification",
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "scheme": "stratified_k_fold",
        "learners": {"m": "logistic_regression", "base": "majority"},
    }
    cautions = run_kind(body, [file]).result["cautions"]

    assert any("the others are 'mean' in row 30" in caution["message"] for caution in cautions)

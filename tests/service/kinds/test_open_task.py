"""Requests that leave the task open: the learners tell it, else the values of the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from tests.service.data.checked_files import inspected
from tests.service.kinds.run_requests import place_of, run_kind
from thetahat_service.kinds.base import DatasetFile

X = [[float(i), float((i * 7) % 11)] for i in range(24)]
BOTH = {"near": "nearest_neighbours"}
CODE = "task_by_target"


def run(y: list[Any], learners: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"kind": "cross_validation", "data": {"X": X, "y": y}, "learners": learners, **more}
    return run_kind(body).result


def cautions(result: dict[str, Any]) -> dict[str, str]:
    return {c["code"]: c["message"] for c in result["cautions"]}


@pytest.mark.parametrize(
    ("y", "task", "reason"),
    [
        ([i % 2 for i in range(24)], "classification", "has only 0 and 1"),
        ([float(i % 2) for i in range(24)], "classification", "has only 0 and 1"),
        ([1 + i % 2 for i in range(24)], "classification", "has two different values"),
        ([bool(i % 2) for i in range(24)], "classification", "has truth values"),
        (["ab"[i % 2] for i in range(24)], "classification", "has text"),
        ([i / 4 for i in range(24)], "regression", "has fractions"),
        ([i * i for i in range(24)], "regression", "has 24 different whole numbers in 24 rows"),
    ],
)
def test_exact_the_values_of_a_target_tell_the_task(y: list[Any], task: str, reason: str) -> None:
    found = run(y, BOTH)
    named = run(y, BOTH, task=task, seed=7)

    assert cautions(found)[CODE] == f"The task is {task}, because the target 'y' {reason}."
    assert CODE not in cautions(named)
    assert found["models"]["near"]["mean"] == named["models"]["near"]["mean"]


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        ([i % 3 for i in range(24)], "has 3 different whole numbers in 24 rows, which may be"),
        ([str(i % 3) for i in range(24)], "has 3 different whole numbers in 24 rows, which may be"),
        ([f"0{i % 3}" for i in range(24)], "has numbers that are written as text"),
        ([*range(23), "n/k"], "has numbers in most rows, but 'n/k' in row 23"),
    ],
)
def test_invalid_targets_of_either_task_are_asked_about(y: list[Any], reason: str) -> None:
    with pytest.raises(Exception, match=reason) as caught:
        run(y, BOTH)
    assert place_of(caught.value) == ("task",)


@pytest.mark.parametrize(
    ("learner", "task"), [("majority", "classification"), ("mean", "regression")]
)
def test_exact_learners_of_one_task_tell_it(learner: str, task: str) -> None:
    y = [i % 3 for i in range(24)]

    result = run(y, {**BOTH, "own": learner})

    assert CODE not in cautions(result)
    assert result["models"] == run(y, {**BOTH, "own": learner}, task=task)["models"]


def test_invalid_learners_of_two_tasks_are_refused() -> None:
    with pytest.raises(Exception, match="'a' is for classification, and 'b' for regression"):
        run([i % 3 for i in range(24)], {"a": "majority", "b": "mean"})


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("learning_curve", {"learners": BOTH, "sizes": [8, 12]}),
        (
            "selection",
            {
                "candidates": {**BOTH, "few": {"name": "nearest_neighbours", "params": {"k": 1}}},
                "internal": "k_fold",
            },
        ),
    ],
)
def test_exact_other_kinds_tell_the_task_alike(kind: str, fields: dict[str, Any]) -> None:
    body = {"kind": kind, "data": {"X": X, "y": [i % 2 for i in range(24)]}, **fields}

    result = run_kind(body).result

    assert "is classification" in cautions(result)[CODE]


@pytest.mark.parametrize(("end", "task"), [("0.5", "regression"), ("2", None), ("no", "text")])
def test_exact_a_column_of_a_file_tells_the_task(
    tmp_path: Path, end: str, task: str | None
) -> None:
    lines = ["a,b,y", *(f"{a},{b},{int(a) % 2}" for a, b in X[:-2]), f"1,2,{end}", "2,3,2"]
    inspection, kept = inspected(tmp_path, "text/csv", "\n".join(lines).encode())
    file = DatasetFile(
        id=uuid4(),
        sha256="0" * 64,
        media_type="text/csv",
        rows=inspection.rows,
        columns=list(inspection.columns),
        details=dict(inspection.details),
        path=kept.path,
    )
    columns = {"target": "y"}
    body = {"kind": "cross_validation", "dataset": str(file.id), "columns": columns}
    body["learners"] = BOTH
    if task != "regression":
        reason = "but 'no' in row 22" if task else "has 3 different whole numbers"
        with pytest.raises(Exception, match=reason) as caught:
            run_kind(body, [file])
        assert place_of(caught.value) == ("task",)
        return
    assert "'y' has fractions" in cautions(run_kind(body, [file]).result)[CODE]


def test_exact_the_library_decides_alike() -> None:
    import thetahat

    learners = {"near": "nearest_neighbours"}
    y = np.arange(24) % 2

    result = thetahat.cross_validate(np.array(X), y, learners)

    assert [c.message for c in result.cautions if c.code == CODE] == [
        "The task is classification, because the target 'y' has only 0 and 1."
    ]
    with pytest.raises(ValueError, match="3 different whole numbers"):
        thetahat.cross_validate(np.array(X), np.arange(24) % 3, learners)

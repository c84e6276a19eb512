"""Every way in of losses says that neighbouring rows are alike, in the one list of cautions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import thetahat
from tests.service.kinds.model_logs import harness_samples
from tests.service.kinds.run_requests import parquet_file, run_kind
from tests.service.kinds.test_logs import JSONL, request, uploaded
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show
from thetahat_service.cli import main
from thetahat_service.kinds.kept_losses import read_kept_losses

N_SOURCES, N = 8, 25
BLOCK = np.repeat([f"s{k}" for k in range(N_SOURCES)], N).tolist()


def draw_series(n: int, seed: int) -> Any:
    values = np.random.default_rng(seed).standard_normal(n)
    for i in range(1, n):
        values[i] += 0.7 * values[i - 1]
    return values


SERIES = np.concatenate([draw_series(N, seed) for seed in range(N_SOURCES)])
ERRORS = (SERIES > 0.8).astype(int)
OTHER = np.random.default_rng(9).random(len(SERIES))
ONE_SET: dict[str, Any] = {"blocks": "holdout"}
SOURCES: dict[str, Any] = {"blocks": "source"}
FOLDS: dict[str, Any] = {"blocks": "random"}
LAYOUTS = [pytest.param(b, id=b["blocks"]) for b in (ONE_SET, SOURCES, FOLDS)]
LOSSES = {"alike": (5 + SERIES).tolist(), "other": OTHER.tolist()}


def assert_said(result: dict[str, Any], blocks: str, value: str = "loss") -> None:
    """The list of cautions and the findings say it of the first model alone."""
    code = "neighbours_alike" if blocks == "holdout" else "neighbours_alike_within"
    messages = [c["message"] for c in result["cautions"] if c["code"].startswith("neighbours")]
    assert [c["code"] for c in result["cautions"] if c["code"].startswith("neighbours")] == [code]
    assert f"the {value} of 'alike' with that of the next row" in messages[0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_losses_inline(layout: dict[str, Any]) -> None:
    block = {} if layout is ONE_SET else {"block": BLOCK}
    result = run_kind({"kind": "losses", "losses": LOSSES, **layout, **block}).result

    assert_said(result, layout["blocks"])
    assert "with that of the next row" in " ".join(
        Page().write(show(result), show_all=True).split()
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_a_stored_data_set(layout: dict[str, Any], tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {**LOSSES, "place": BLOCK})
    block = {} if layout is ONE_SET else {"block": "place"}
    columns = {"losses": list(LOSSES), **block}
    body = {"kind": "losses", "dataset": str(file.id), "columns": columns, **layout}

    assert_said(run_kind(body, [file]).result, layout["blocks"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_predictions(layout: dict[str, Any]) -> None:
    truth = np.random.default_rng(10).integers(0, 2, len(ERRORS))
    block = {} if layout is ONE_SET else {"block": BLOCK}
    body = {
        "kind": "predictions",
        "y": truth.tolist(),
        "predictions": {"alike": (truth ^ ERRORS).tolist()},
        "loss": "zero_one",
        **layout,
        **block,
    }

    assert_said(run_kind(body).result, layout["blocks"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_predictions_sorted_by_label_say_nothing(
    layout: dict[str, Any], tmp_path: Path
) -> None:
    """Errors are rare among the first label and frequent among the second, in every block."""
    n_blocks = 1 if layout is ONE_SET else N_SOURCES
    size = len(BLOCK) // n_blocks
    truth = np.tile(np.arange(size) > size // 2, n_blocks).astype(int)
    wrong = np.random.default_rng(11).random(len(truth)) < np.where(truth, 0.7, 0.05)
    block = {} if layout is ONE_SET else {"block": BLOCK}
    body = {
        "kind": "predictions",
        "y": truth.tolist(),
        "predictions": {"alike": (truth ^ wrong).tolist()},
        "loss": "zero_one",
        **layout,
        **block,
    }
    losses = {"alike": wrong.astype(int).tolist()}
    without_labels = run_kind({"kind": "losses", "losses": losses, **layout, **block}).result

    ran = run_kind(body)
    codes = [caution["code"] for caution in ran.result["cautions"]]
    assert not [code for code in codes if code.startswith("neighbours")]
    pq.write_table(ran.losses, tmp_path / "kept.parquet")
    kept = read_kept_losses(tmp_path / "kept.parquet")
    assert kept is not None
    assert kept.layout.are_sorted_by_truth is not None
    assert kept.layout.are_sorted_by_truth.tolist() == [True] * n_blocks
    assert_said(without_labels, layout["blocks"])


def test_exact_logs_of_tasks_and_of_one_task(tmp_path: Path) -> None:
    files = []
    for task in range(N_SOURCES):
        rows = slice(task * N, task * N + N)
        for model, scores in (("alike", 1 - ERRORS[rows]), ("other", OTHER[rows] < 0.7)):
            content = harness_samples(
                {i: float(score) for i, score in enumerate(scores)}, ("none",), f"task {task}"
            )
            files.append(
                (model, f"task {task}", uploaded(tmp_path, f"{task}-{model}", JSONL, content))
            )
    entries = [{"dataset": str(f.id), "model": model, "task": task} for model, task, f in files]
    every = [file for _, _, file in files]
    logs = {"files": entries, "score": "exact_match", "filter": "none"}

    assert_said(run_kind({"kind": "losses", "logs": logs}, every).result, "source", "score")

    one_set = {
        "alike": {i: float(1 - error) for i, error in enumerate(ERRORS)},
        "other": {i: float(score < 0.7) for i, score in enumerate(OTHER)},
    }
    (tmp_path / "one").mkdir()
    both = [
        uploaded(tmp_path / "one", model, JSONL, harness_samples(scores, ("none",), "task"))
        for model, scores in one_set.items()
    ]
    body = request(both, "exact_match", logs={"filter": "none"})
    body["logs"]["files"] = [
        {**entry, "model": model, "task": "task"}
        for entry, model in zip(body["logs"]["files"], one_set, strict=True)
    ]

    assert_said(run_kind(body, both).result, "holdout", "score")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_the_command_compare(
    layout: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)
    path = tmp_path / "table.csv"
    rows = zip(*LOSSES.values(), BLOCK, strict=True)
    lines = ["alike,other,place", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    block = [] if layout is ONE_SET else ["--block", "place"]
    command = ["compare", str(path), "--model", "alike", "--model", "other", "--better", "lower"]
    asked = [*command, "--blocks", layout["blocks"], *block]

    assert main([*asked, "--all"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "the loss of 'alike' with that of the next row" in text
    assert main([*asked, "--json"]) == 0
    texts = json.loads(capsys.readouterr().out)["caution_texts"].values()
    messages = [each["message"] for each in texts if each["code"].startswith("neighbours")]
    assert sum("the loss of 'alike' with" in message for message in messages) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exact_the_library(layout: dict[str, Any]) -> None:
    block = None if layout is ONE_SET else BLOCK
    result = thetahat.evaluate(LOSSES, block=block, **layout)
    codes = [caution.code for caution in result.cautions]

    assert len([code for code in codes if code.startswith("neighbours")]) == 1

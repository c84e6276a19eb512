"""Evaluations of language models' logs, matched item by item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid5

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.data.checked_files import inspected
from tests.service.kinds.model_logs import (
    Runs,
    compress_members,
    harness_samples,
    inspect_eval,
    inspect_json,
)
from tests.service.kinds.run_requests import SPACE, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_presentation.showing import show
from thetahat_service.kinds.base import DatasetFile

INSPECT = "application/vnd.inspect-ai.log"
JSONL = "application/jsonl"


def uploaded(folder: Path, name: str, media_type: str, content: bytes) -> DatasetFile:
    """Return a log as an upload keeps it."""
    place = folder / name
    place.mkdir()
    inspection, kept = inspected(place, media_type, content)
    return DatasetFile(
        id=uuid5(SPACE, name),
        sha256="0" * 64,
        media_type=media_type,
        rows=inspection.rows,
        columns=list(inspection.columns),
        details=dict(inspection.details),
        path=kept.path,
    )


def request(files: list[DatasetFile], score: str, **more: Any) -> dict[str, Any]:
    entries = [{"dataset": str(file.id)} for file in files]
    logs = {"files": entries, "score": score, **more.pop("logs", {})}
    return {"kind": "losses", "logs": logs, **more}


def test_exact_models_are_matched_by_item_whatever_the_order(tmp_path: Path) -> None:
    new = inspect_eval("arc", "new", {1: ["C", "C"], "b": ["C", "I"], 30: ["I", "I"]})
    old = inspect_json("arc", "old", {30: ["I"], 1: ["C"], "b": ["P"]})
    files = [
        uploaded(tmp_path, "new", INSPECT, new),
        uploaded(tmp_path, "old", INSPECT, old),
    ]

    ran = run_kind(request(files, "match"), files)

    result = ran.result
    assert_allclose(result["models"]["new"]["mean"]["pooled"], (1 + 0.5 + 0) / 3, rtol=1e-15)
    assert_allclose(result["models"]["old"]["mean"]["pooled"], (1 + 0.5 + 0) / 3, rtol=1e-15)
    assert ran.losses["instance"].to_pylist() == ["1", "b", "30"]
    assert ran.losses["old"].to_pylist() == [1.0, 0.5, 0.0]
    assert result["summary"]["better"] == "higher"
    assert result["summary"]["target"] == "these_models"
    codes = [caution["code"] for caution in result["cautions"]]
    assert "runs_averaged" in codes
    assert "blocks_assumed_random" not in codes
    assert "no_training_variance" not in codes
    assert "training" not in show(result).findings.limit


def test_exact_tasks_are_blocks_with_both_targets(tmp_path: Path) -> None:
    rng = np.random.default_rng(20_261_122)
    files, entries = [], []
    for task in ("law", "maths", "poems"):
        for model, share in (("new", 0.8), ("old", 0.4)):
            scores = {i: float(rng.random() < share) for i in rng.permutation(40).tolist()}
            content = harness_samples(scores, ("strict-match", "flexible-extract"), task)
            file = uploaded(tmp_path, f"{task}-{model}", JSONL, content)
            files.append(file)
            entries.append({"dataset": str(file.id), "model": model, "task": task})
    logs = {"files": entries, "score": "exact_match", "filter": "strict-match"}
    body = {"kind": "losses", "logs": logs}

    result = run_kind(body, files).result
    named = run_kind({**body, "unit": "subject"}, files).result
    clustered = run_kind({**body, "logs": {**logs, "cluster": "doc.subject"}}, files).result

    assert result["block_labels"] == ["law", "maths", "poems"]
    assert result["summary"]["best_model"] == "new"
    assert {"these_sources", "new_source"} <= result["models"]["new"]["recommended"].keys()
    assert "For a new task" in result["comparisons"][0]["verdict"]["reason"]
    assert "For a new subject" in named["comparisons"][0]["verdict"]["reason"]
    assert "no_training_variance" not in [caution["code"] for caution in result["cautions"]]
    assert clustered["models"]["new"]["mean"] == result["models"]["new"]["mean"]
    assert "cluster_robust" in clustered["models"]["new"]["variances"]


def test_naive_tasks_with_clusters_and_repeated_runs_in_one_answer(tmp_path: Path) -> None:
    """Zstandard logs: three tasks, clusters inside each, two or three runs of each item."""
    rng = np.random.default_rng(20_261_123)
    files, entries = [], []
    means: dict[str, list[Any]] = {"new": [], "old": []}
    for task, difficulty in (("law", 0.1), ("maths", 0.3), ("poems", 0.2)):
        for model, share in (("new", 0.9), ("old", 0.5)):
            runs: dict[int | str, list[str]] = {
                item: ["C" if u < share - difficulty else "I" for u in rng.random(2 + item % 2)]
                for item in rng.permutation(30).tolist()
            }
            content = compress_members(inspect_eval(task, model, runs))
            files.append(uploaded(tmp_path, f"{task}-{model}", INSPECT, content))
            entries.append({"dataset": str(files[-1].id)})
            means[model].append(
                np.mean([np.mean([value == "C" for value in each]) for each in runs.values()])
            )
    logs = {"files": entries, "score": "match", "cluster": "metadata.document"}

    result = run_kind({"kind": "losses", "logs": logs, "unit": "task"}, files).result

    for model, of_tasks in means.items():
        part = result["models"][model]
        assert_allclose(part["mean"]["macro"], np.mean(of_tasks), rtol=1e-12)
        assert part["n"] == 90  # items, however often each was run
        assert {"these_sources", "new_source"} <= part["recommended"].keys()
        assert "cluster_robust" in part["variances"]
    codes = [caution["code"] for caution in result["cautions"]]
    assert "runs_averaged" in codes
    assert result["block_labels"] == ["law", "maths", "poems"]
    sentences = " ".join(result["summary"]["sentences"])
    assert "For a new task" in sentences
    assert "source" not in sentences
    assert "block" not in sentences


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"score": "f1"}, ("logs", "files", 0, "dataset")),
        ({"filter": None}, ("logs", "filter")),
        ({"filter": "loose"}, ("logs", "filter")),
        ({"cluster": "doc.author"}, ("logs", "cluster")),
        ({"files": ["no model"]}, ("logs", "files", 0, "model")),
    ],
)
def test_invalid_logs_name_the_place(
    tmp_path: Path, change: dict[str, Any], loc: tuple[Any, ...]
) -> None:
    content = harness_samples({0: 1.0, 1: 0.0}, ("strict-match", "flexible-extract"))
    file = uploaded(tmp_path, "a", JSONL, content)
    entry = {"dataset": str(file.id), "model": "a"}
    if change.get("files"):
        change = {"files": [{"dataset": str(file.id)}]}
    logs = {"files": [entry], "score": "exact_match", "filter": "strict-match", **change}
    with pytest.raises(Exception) as caught:  # noqa: PT011 - one of two classes
        run_kind({"kind": "losses", "logs": logs}, [file])
    assert place_of(caught.value) == loc


def test_invalid_models_with_scores_of_two_filters_are_not_compared(tmp_path: Path) -> None:
    scores = {i: float(i % 2) for i in range(6)}
    body, files = pair(
        tmp_path,
        harness_samples(scores, ("strict-match",)),
        harness_samples(scores, ("flexible-extract",)),
    )

    with pytest.raises(EvaluationError, match="filter 'strict-match' in the logs of 'a', and by"):
        run_kind(body, files)


def pair(folder: Path, a: bytes, b: bytes) -> tuple[dict[str, Any], list[DatasetFile]]:
    files = [uploaded(folder, "a", JSONL, a), uploaded(folder, "b", JSONL, b)]
    entries = [{"dataset": str(f.id), "model": m} for f, m in zip(files, "ab", strict=True)]
    return {"kind": "losses", "logs": {"files": entries, "score": "exact_match"}}, files


def test_invalid_items_that_a_model_lacks_are_refused_or_left_out(tmp_path: Path) -> None:
    a = harness_samples({0: 1.0, 1: 0.0, 2: 1.0})
    body, files = pair(tmp_path, a, harness_samples({2: 1.0, 0: 0.0}))

    with pytest.raises(EvaluationError, match=r"1 of 3 items .* item '1', which 'b' has no score"):
        run_kind(body, files)
    result = run_kind({**body, "missing": "leave_out"}, files).result

    assert result["models"]["a"]["n"] == 2
    assert result["left_out"]["n_rows"] == 1


def test_invalid_other_contents_under_the_same_id_are_refused(tmp_path: Path) -> None:
    same = {0: 1.0, 1: 0.0}
    body, files = pair(tmp_path, harness_samples(same), harness_samples(same, question="R"))

    with pytest.raises(EvaluationError, match="doc_hash differs"):
        run_kind(body, files)


def test_invalid_scores_of_unknown_direction_need_better(tmp_path: Path) -> None:
    file = uploaded(tmp_path, "a", INSPECT, inspect_eval("t", "a", {1: [0.2], 2: [0.4]}, "harm"))

    with pytest.raises(EvaluationError, match="better"):
        run_kind(request([file], "harm"), [file])
    assert run_kind(request([file], "harm", better="lower"), [file]).result["models"]["a"]["n"] == 2


@pytest.mark.parametrize("named", [None, "old"])
def test_invalid_two_logs_with_the_same_epoch_of_an_item_need_models(
    tmp_path: Path, named: str | None
) -> None:
    runs: Runs = {1: ["C"], 2: ["I"], 3: ["I"]}
    files = [
        uploaded(tmp_path, "a", INSPECT, inspect_json("qa", "lab/model", runs)),
        uploaded(tmp_path, "b", INSPECT, inspect_eval("qa", "lab/model", {**runs, 3: ["C"]})),
    ]
    body = request(files, "match")
    if named:
        files.append(uploaded(tmp_path, "c", INSPECT, inspect_json("qa", named, runs)))
        body = request(files, "match")
        body["logs"]["files"][0]["model"] = named

    with pytest.raises(EvaluationError, match="both have epoch 1 of item '1' of 'qa'") as caught:
        run_kind(body, files)
    assert place_of(caught.value)[:2] == ("logs", "files")

    for entry, model in zip(body["logs"]["files"], "abc", strict=False):
        entry["model"] = model
    means = run_kind(body, files).result["models"]
    assert_allclose([means["a"]["mean"]["pooled"], means["b"]["mean"]["pooled"]], [1 / 3, 2 / 3])


def test_exact_logs_of_other_epochs_or_of_one_name_are_runs(tmp_path: Path) -> None:
    first: Runs = {1: ["C"], 2: ["I"]}
    other: Runs = {1: ["I"], 2: ["I"]}
    second = json.loads(inspect_json("qa", "m", other))
    for sample in second["samples"]:
        sample["epoch"] = 2
    a = uploaded(tmp_path, "a", INSPECT, inspect_json("qa", "m", first))
    b = uploaded(tmp_path, "b", INSPECT, json.dumps(second).encode())
    c = uploaded(tmp_path, "c", INSPECT, inspect_json("qa", "m", other))

    epochs = run_kind(request([a, b], "match"), [a, b]).result
    body = request([a, c], "match")
    for entry in body["logs"]["files"]:
        entry["model"] = "m"
    named = run_kind(body, [a, c]).result

    for result in (epochs, named):
        assert result["models"]["m"]["mean"]["pooled"] == 0.25
        assert "runs_averaged" in {caution["code"] for caution in result["cautions"]}


def test_exact_columns_of_a_long_table_have_any_names(tmp_path: Path) -> None:
    rows = [
        f"{k},{m},{t},{(k * s) % 7 / 7}"
        for m, s in (("x", 2), ("y", 3))
        for t in ("u", "v")
        for k in range(9)
    ]
    content = "\n".join(["frage,system,fach,punkte", *rows]).encode()
    file = uploaded(tmp_path, "t", "text/csv", content)
    columns = {"item": "frage", "model": "system", "task": "fach"}
    body = request([file], "punkte", logs={"columns": columns}, better="higher")

    result = run_kind(body, [file]).result

    assert list(result["models"]) == ["x", "y"]
    assert result["block_labels"] == ["u", "v"]
    expected = np.mean([(k * 3) % 7 / 7 for k in range(9)])
    assert_allclose(result["models"]["y"]["mean"]["macro"], expected, rtol=1e-12)
    body["logs"]["columns"]["task"] = "raum"
    with pytest.raises(Exception, match="raum"):
        run_kind(body, [file])


@pytest.mark.parametrize("value", [[-10.5, 5], [True, False], [], [1.0]])
def test_invalid_scores_that_are_lists_are_called_so(tmp_path: Path, value: list[Any]) -> None:
    lines = [{"doc_id": i, "doc_hash": f"h{i}", "ppl": value} for i in range(4)]
    file = uploaded(tmp_path, "a", JSONL, "\n".join(map(json.dumps, lines)).encode())
    body = request([file], "ppl", better="lower")
    body["logs"]["files"][0]["model"] = "a"

    with pytest.raises(EvaluationError, match="The score 'ppl' is a list in some rows"):
        run_kind(body, [file])


@pytest.mark.parametrize("row", ["k9,,0.5", ",x,0.5"])
def test_invalid_rows_without_item_or_model_are_named(tmp_path: Path, row: str) -> None:
    lines = ["item,model,score", *(f"k{k},{m},0.{k}" for k in range(4) for m in "xy"), row]
    file = uploaded(tmp_path, "t", "text/csv", "\n".join(lines).encode())

    with pytest.raises(EvaluationError, match="Row 8 has no value in column"):
        run_kind(request([file], "score"), [file])


def test_exact_items_with_more_rows_than_others_are_a_caution(tmp_path: Path) -> None:
    lines = ["item,model,acc", *(f"k{k},m,0.{k}" for k in range(6)), "k2,m,0.9"]
    file = uploaded(tmp_path, "t", "text/csv", "\n".join(lines).encode())

    result = run_kind(request([file], "acc"), [file]).result

    found = {caution["code"]: caution["message"] for caution in result["cautions"]}
    assert "Item 'k2' of 'm' has 2 rows and other items have 1" in found["runs_unequal"]


def test_invalid_two_rows_of_one_numbered_run_are_refused(tmp_path: Path) -> None:
    rows = [f"{i},{m},{e},{(7 * i + e) % 3}" for i in range(6) for m in "ab" for e in (1, 2)]
    content = "\n".join(["item,model,epoch,score", *rows, "2,b,1,0"]).encode()
    file = uploaded(tmp_path, "t.csv", "text/csv", content)

    message = "Epoch 1 of item '2' of 'task' has two rows of 'b': they are no runs of the item"
    with pytest.raises(EvaluationError, match=message):
        run_kind(request([file], "score", better="higher"), [file])


def test_exact_runs_that_ended_in_an_error_have_no_score_in_inspect_ai(tmp_path: Path) -> None:
    log = json.loads(inspect_json("qa", "m", {i: ["C"] for i in range(6)}))
    log["samples"][2]["error"] = {"message": "the container is gone"}
    log["invalidated"] = True
    file = uploaded(tmp_path, "a", INSPECT, json.dumps(log).encode())

    with pytest.raises(EvaluationError, match="item '2', which 'm' has no score for"):
        run_kind(request([file], "match"), [file])
    assert "1 of 6 runs ended in an error or are invalid, and lack scores" in str(
        file.details["failed_runs"]
    )
    assert "marked as invalidated" in str(file.details["unfinished"])


def test_invalid_logs_without_a_common_item_are_not_to_be_left_out(tmp_path: Path) -> None:
    a, b = harness_samples({0: 1.0, 1: 0.0}), harness_samples({7: 1.0, 8: 0.0})
    body, files = pair(tmp_path, a, b)

    for missing in ("refuse", "leave_out"):
        with pytest.raises(
            EvaluationError, match="No item has a score of every model; the first"
        ) as caught:
            run_kind({**body, "missing": missing}, files)
        assert "leave_out" not in caught.value.message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "error"}, "has the status 'error'"),
        ({"status": "cancelled"}, "has the status 'cancelled'"),
        ({"results": {"total_samples": 9}}, "has 6 of the 9 samples"),
        ({"invalidated": True}, "marked as invalidated"),
    ],
)
def test_exact_a_log_that_did_not_end_well_is_a_serious_caution(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    good, bad = (json.loads(inspect_json("qa", m, {i: ["C"] for i in range(6)})) for m in "ab")
    files = [
        uploaded(tmp_path, name, INSPECT, json.dumps(log).encode())
        for name, log in (("a", good), ("b", bad), ("b changed", {**bad, **change}))
    ]

    clean, doubtful = (
        {c["code"]: c["message"] for c in run_kind(request(pair, "match"), pair).result["cautions"]}
        for pair in (files[:2], files[::2])
    )

    assert "log_unfinished" not in clean
    assert doubtful["log_unfinished"].startswith("File 1 of the logs: The log ")
    assert words in doubtful["log_unfinished"]

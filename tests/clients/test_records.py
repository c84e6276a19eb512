"""Evaluations are kept beside experiments: in MLflow, and as files for DVC."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.clients.scripted_server import EVALUATION
from thetahat_client import Client, Evaluation
from thetahat_client.figure import FigureImage
from thetahat_client.record import EvaluationRecord, log_to_mlflow
from thetahat_client.result_metrics import metric_values, write_metrics
from thetahat_service.kinds.examples import RESULT, read_examples

NAMES = ("new (v2.1) 100%", "new (v2.1) 100$", "../old/α", "..")
RESULTS = read_examples(RESULT)


def evaluate(names: tuple[str, ...] = ("new", "old")) -> Any:
    rng = np.random.default_rng(3)
    losses = {name: rng.random((6, 9)) + place / 2 for place, name in enumerate(names)}
    result = thetahat.evaluate(losses, blocks="source", unit="school", margin=0.1)
    values: Any = thetahat.to_json(result)
    values["provenance"] = {"version": "0.1.0", "seed": 7, "data_sha256": "ab", "spec_sha256": "cd"}
    return values


def record_of(result: Any) -> EvaluationRecord:
    done: Any = {**EVALUATION, "status": "succeeded", "finished_at": "2026-11-21T05:04:34Z"}
    figures = (FigureImage(b"<svg/>", "forest", "svg"),)
    return EvaluationRecord(Evaluation.read(done), {"kind": "losses"}, result, figures)


def test_exact_every_interval_is_under_its_model_and_target() -> None:
    result = evaluate()
    values = metric_values(result)

    for name, model in result["models"].items():
        assert values[f"{name}/mean"] == model["mean"]["macro"]
        for target, interval in model["recommended"].items():
            for part in ("estimate", "lower", "upper"):
                assert values[f"{name}/{target}.{part}"] == interval[part]
    pair = result["comparisons"][0]
    assert values["new minus old/difference"] == pair["difference"]
    assert values["new minus old/upper"] == pair["interval"]["upper"]
    assert values["new minus old/p_value"] == pair["verdict"]["p_value"]


@pytest.mark.parametrize("kind", RESULTS)
def test_exact_metrics_are_finite_numbers_by_name(kind: str, tmp_path: Path) -> None:
    """What ``dvc metrics show`` needs: one JSON object of numbers."""
    path = tmp_path / "metrics.json"
    write_metrics(RESULTS[kind], path)
    values = json.loads(path.read_text(encoding="utf-8"))

    assert values == metric_values(RESULTS[kind])
    assert values
    assert all(isinstance(value, float) and np.isfinite(value) for value in values.values())


def test_exact_metrics_of_a_model_have_the_targets_of_their_intervals() -> None:
    models = RESULTS["cross_validation"]["models"]
    values = metric_values(RESULTS["cross_validation"])
    expected = {
        f"{name}/{metric}.{target}.lower": interval["lower"]
        for name, model in models.items()
        for metric, estimate in (model.get("metrics") or {}).items()
        for target, interval in estimate["recommended"].items()
        if interval["lower"] is not None
    }

    assert expected.items() <= values.items()


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """MLflow with a store of its own in a folder."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    package: Any = importlib.import_module("mlflow")  # reads the variables as it is imported
    before = package.get_tracking_uri()
    package.set_tracking_uri(f"file:{tmp_path / 'mlruns'}")
    yield package
    while package.active_run() is not None:
        package.end_run()
    package.set_tracking_uri(before)


def test_against_mlflow_a_record_is_read_back(mlflow: Any) -> None:
    result = evaluate(NAMES)
    run_id = log_to_mlflow(record_of(result))
    client = mlflow.MlflowClient()
    run = client.get_run(run_id)

    assert run.info.status == "FINISHED"
    assert run.data.metrics == metric_values(result)
    best = result["summary"]["best_model"]
    means = sorted(value for key, value in run.data.metrics.items() if key.endswith("/mean"))
    assert means == sorted(model["mean"]["macro"] for model in result["models"].values())
    assert best == NAMES[0]
    tags = {key: value for key, value in run.data.tags.items() if key.startswith("thetahat.")}
    assert tags["thetahat.id"] == EVALUATION["id"]
    assert tags["thetahat.data_sha256"] == "ab"
    assert tags["thetahat.verdict"] == " ".join(result["summary"]["sentences"])
    assert tags["thetahat.version"] == "0.1.0"
    stored = mlflow.artifacts.load_dict(f"runs:/{run_id}/thetahat/result.json")
    assert stored == result
    assert mlflow.artifacts.load_dict(f"runs:/{run_id}/thetahat/request.json") == {"kind": "losses"}
    assert mlflow.artifacts.load_text(f"runs:/{run_id}/thetahat/figures/forest.svg") == "<svg/>"
    assert "school" in mlflow.artifacts.load_text(f"runs:/{run_id}/thetahat/result.md")


def test_against_mlflow_the_active_run_or_a_run_is_used(mlflow: Any) -> None:
    record = record_of(evaluate())
    with mlflow.start_run() as active:
        assert log_to_mlflow(record) == active.info.run_id
        assert mlflow.active_run().info.run_id == active.info.run_id
    client = mlflow.MlflowClient()
    other = client.create_run(active.info.experiment_id)
    assert log_to_mlflow(record, other) == other.info.run_id
    assert log_to_mlflow(record, other.info.run_id) == other.info.run_id
    for run_id in (active.info.run_id, other.info.run_id):
        assert client.get_run(run_id).data.metrics == metric_values(record.result)


def test_against_mlflow_many_metrics_are_logged_in_batches(
    mlflow: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thetahat_client.record.LARGEST_BATCH", 7)
    record = record_of(evaluate())
    run = mlflow.MlflowClient().get_run(log_to_mlflow(record))

    assert len(run.data.metrics) % 7
    assert len(run.data.metrics) > 14
    assert run.data.metrics == metric_values(record.result)


def test_invalid_without_mlflow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match=r"thetahat-client\[mlflow\]"):
        log_to_mlflow(record_of(evaluate()))


def test_exact_a_record_has_all_of_an_evaluation(client: Client) -> None:
    losses = {"nb": [[0, 1, 0], [1, 1, 0]], "svm": [[0, 0, 1], [1, 0, 0]]}
    request = {"kind": "losses", "blocks": "random", "losses": losses, "name": "two", "seed": 5}
    done = client.submit(request, wait=30)

    record = client.record(done.id)
    short = client.record(done.id, figures=[])

    assert record.evaluation.id == done.id
    assert record.result == done.result
    assert record.request == client.request(done.id) == request
    names = [figure["name"] for figure in client.figures(done.id)]
    assert [figure.name for figure in record.figures] == names
    assert names
    assert all(figure.startswith(b"<svg") for figure in record.figures)
    assert set(record.files) == {
        "result.json",
        "request.json",
        "result.md",
        *(f"figures/{name}.svg" for name in names),
    }
    assert short.figures == ()
    assert record._repr_html_() == client.result(done.id)._repr_html_()
    again = client.submit(record.request, wait=30)
    assert again.result is not None
    assert again.result["models"] == record.result["models"]

"""The code of docs/python-client.md runs as it is shown, with a real MLflow."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs" / "python-client.md").read_text(encoding="utf-8")


def test_exact_the_code_of_the_client_page_runs(
    service_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("THETAHAT_URL", service_url)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow: Any = importlib.import_module("mlflow")  # reads the variables as it is imported
    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"file:{tmp_path / 'mlruns'}")
    values: dict[str, Any] = {}
    try:
        for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
            exec(block, values)
        run = mlflow.MlflowClient().get_run(values["run_id"])
    finally:
        mlflow.set_tracking_uri(before)

    metrics = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert run.data.metrics == metrics
    assert {"nb/mean", "nb/these_sources.lower", "nb minus svm/p_value"} <= metrics.keys()
    tags = {key for key in run.data.tags if key.startswith("thetahat.")}
    assert tags <= set(re.findall(r"`(thetahat\.\w+)`", PAGE))
    assert values["results"][0]["models"] == values["result"]["models"]
    assert values["forest"].startswith(b"<svg")
    shown = capsys.readouterr().out
    assert values["result"]["summary"]["sentences"][0] in shown
    assert "queued\nstarted\n" in shown

"""The code of the tutorials runs as it is shown, against a real service."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.architecture.sources import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("clients of one service")]


def read_blocks(name: str, language: str) -> list[str]:
    text = (TUTORIALS / f"{name}.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_exact_the_code_of_the_client_page_runs(
    service_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    mlflow: Any = pytest.importorskip("mlflow", reason="installed with the extra dev")
    monkeypatch.setenv("THETAHAT_URL", service_url)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"file:{tmp_path / 'mlruns'}")
    values: dict[str, Any] = {}
    try:
        for block in read_blocks("../python-client", "python"):
            exec(block, values)
        run = mlflow.MlflowClient().get_run(values["run_id"])
    finally:
        mlflow.set_tracking_uri(before)

    metrics = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert run.data.metrics == metrics
    assert {"nb/mean", "nb/these_sources.lower", "nb minus svm/p_value"} <= metrics.keys()
    tags = {key for key in run.data.tags if key.startswith("thetahat.")}
    text = (TUTORIALS / "../python-client.md").read_text(encoding="utf-8")
    assert tags <= set(re.findall(r"`(thetahat\.\w+)`", text))
    assert values["results"][0]["models"] == values["result"]["models"]
    assert values["forest"].startswith(b"<svg")
    shown = capsys.readouterr().out
    assert values["result"]["summary"]["sentences"][0] in shown
    assert "queued\nstarted\n" in shown


def test_exact_the_code_for_data_scientists_runs(
    service_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("THETAHAT_URL", service_url)
    values: dict[str, Any] = {}
    for block in read_blocks("data-scientist", "python"):
        exec(block, values)

    assert values["evaluation"].summary.better == "higher"
    stored, here = values["result"], values["evaluation"]
    for name, model in here.models.items():
        assert stored["models"][name]["mean"]["macro"] == pytest.approx(model.mean.macro)
    assert len(values["frame"]) == sum(len(m["recommended"]) for m in stored["models"].values())
    assert values["request"]["kind"] == "predictions"
    assert stored["summary"]["sentences"][0] == here.summary.sentences[0]
    assert here.summary.sentences[0] in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("curl") is None, reason="the tutorial is for curl")
def test_exact_the_commands_for_platform_engineers_run(service_url: str, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    script = "set -euo pipefail\n" + "\n".join(read_blocks("platform-engineer", "sh"))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "URL": service_url, "PATH": f"{python.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "new has the lowest mean loss of 2 models" in done.stdout
    assert "nightly succeeded new" in done.stdout
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["unit"]["plural"] == "schools"
    assert json.loads((tmp_path / "problem.json").read_text())["status"] == 422


def test_exact_the_site_has_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())

    def pages(part: Any) -> list[str]:
        if isinstance(part, str):
            return [part]
        parts = part.values() if isinstance(part, dict) else part
        return [page for each in parts for page in pages(each)]

    listed = pages(site["nav"])
    written = {
        str(path.relative_to(ROOT / "docs"))
        for folder in (ROOT / "docs", ROOT / "docs" / "http", TUTORIALS)
        for path in folder.glob("*.md")
    }
    assert sorted(listed) == sorted(written)

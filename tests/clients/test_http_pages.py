"""The code on the pages about HTTP runs as it is shown, against a real service."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from thetahat_client import Client

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("clients of one service")]


def read_blocks(name: str, language: str) -> list[str]:
    text = (ROOT / "docs" / "http" / f"{name}.md").read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_exact_the_code_for_large_results_runs(
    service_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("THETAHAT_URL", service_url)
    values: dict[str, Any] = {}
    (block,) = read_blocks("large-results", "python")
    exec(block, values)
    status, mean = capsys.readouterr().out.splitlines()

    assert status.startswith("succeeded ")
    assert float(mean) == 0.5
    with Client(service_url) as client:
        whole = client.result(values["done"].id)
    part = values["part"]["result"]
    assert part["models"] == {"model 1.2": {"mean": whole["models"]["model 1.2"]["mean"]}}
    assert part["summary"] == {"sentences": whole["summary"]["sentences"]}

    (tmp_path / "request.json").write_text('{"kind": "losses", "losses": {"a": [[0, 1], [1, 1]]}}')
    answers = [run_shell(each, service_url, values["done"].id, tmp_path) for each in SHELL]
    assert '"models"' in answers[0]
    assert '"status":"queued"' in answers[1]
    assert answers[2].startswith('{"status":"succeeded","result":{"summary":{')


SHELL = read_blocks("large-results", "sh")


def run_shell(command: str, url: str, identifier: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "URL": url, "ID": identifier, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout

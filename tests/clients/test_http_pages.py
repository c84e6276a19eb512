"""The code on the pages about HTTP runs as it is shown, against a real service."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.architecture.sources import ROOT
from thetahat_client import Client, Refused


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
    # the commands of this environment, which need not be activated
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "URL": url, "ID": identifier, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_against_standardwebhooks_the_code_for_receivers_accepts_what_is_authentic() -> None:
    (block,) = read_blocks("webhooks", "python")
    values: dict[str, Any] = {}
    exec(block, values)
    secret, body = "whsec_" + base64.b64encode(bytes(range(32))).decode(), b'{"type":"x"}'
    now = datetime.now(UTC)

    def sign(message_id: str, moment: datetime) -> dict[str, str]:
        signature = Webhook(secret).sign(message_id, moment, body.decode())
        return {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(moment.timestamp())),
            "webhook-signature": f"v1,AAAA {signature}",
        }

    assert values["accept"](secret, sign("a", now), body)
    assert not values["accept"](secret, sign("a", now), body)
    assert values["accept"](secret, sign("b", now), body)
    with pytest.raises(ValueError, match="signature"):
        values["accept"](secret, sign("c", now), body + b" ")
    with pytest.raises(ValueError, match="old"):
        values["accept"](secret, sign("d", now - timedelta(minutes=6)), body)


def test_exact_many_submissions_and_webhooks_of_the_clients(client: Client) -> None:
    losses = {"kind": "losses", "losses": {"a": [[0, 1], [1, 1]]}}
    outcomes = client.submit_many([losses, {"kind": "nothing"}, losses], batch_size=2)
    webhook = client.create_webhook("https://hooks.example.com/x", description="test")
    accepted = outcomes[0].evaluation
    client.cancel(accepted.id if accepted else "")
    listed = {each.id: each for each in client.webhooks()}
    refused = outcomes[1].problem

    assert [outcome.index for outcome in outcomes] == [0, 1, 2]
    assert refused is not None
    assert (refused.status, refused.errors[0].loc) == (422, ("items", 1, "request", "kind"))
    assert outcomes[2].evaluation is not None
    assert webhook.secret is not None
    assert webhook.secret.startswith("whsec_")
    assert listed[webhook.id].secret is None
    assert all(each.state in {"pending", "dead"} for each in client.deliveries(webhook.id))
    client.delete_webhook(webhook.id)
    assert webhook.id not in {each.id for each in client.webhooks()}


def test_invalid_an_import_from_a_host_that_is_not_listed(client: Client) -> None:
    with pytest.raises(Refused, match="THETAHAT_IMPORT_HOSTS"):
        client.import_dataset("https://data.example.com/exam.csv", name="exam")


def test_exact_the_page_about_protocols_runs(service_url: str, tmp_path: Path) -> None:
    fix, follow = read_blocks("protocols", "sh")
    made = json.loads(run_shell(fix, service_url, "", tmp_path))
    done = json.loads(run_shell(follow, service_url, made["id"], tmp_path))

    assert made["fixed"]["models"] == ["new", "old"]
    assert [each["text"] for each in done["protocol"]["deviations"]] == [
        "margin 0.05 (planned: 0.02)"
    ]
    assert done["result"]["gate"]["outcome"] == "fail"


def test_exact_the_page_about_series_runs(service_url: str, tmp_path: Path) -> None:
    create, add, command = read_blocks("series", "sh")
    made = json.loads(run_shell(create, service_url, "", tmp_path))
    look = json.loads(run_shell(add, service_url, made["id"], tmp_path))
    rows = "\n".join(["new,old", *["0,1", "0,0", "0,1", "1,1"] * 60])
    (tmp_path / "losses.csv").write_text(f"{rows}\n")
    answer = run_shell(f"THETAHAT_URL=$URL {command}", service_url, made["id"], tmp_path)

    assert (look["rows"], look["at"]) == (4, "2026-11-26T00:00:00Z")
    assert answer.startswith("PASS\nAfter 244 rows new is better than old: ")

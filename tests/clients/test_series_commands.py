"""``thetahat series``: from the creation to a decision, with the exit statuses of a gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thetahat_service.cli import main

PAIR = ["--model", "new", "--model", "old"]


@pytest.fixture
def run(service_url: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command of the group against the service."""

    def call(*words: str) -> tuple[int, str, str]:
        status = main(["series", *words, "--url", service_url])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def write_batch(folder: Path, seed: int, rates: tuple[float, float], n: int = 120) -> str:
    rng = np.random.default_rng(seed)
    columns = [(rng.random(n) < rate).astype(int) for rate in rates]
    lines = [f"{new},{old},c{i // 4}" for i, (new, old) in enumerate(zip(*columns, strict=True))]
    path = folder / f"batch{seed}.csv"
    path.write_text("\n".join(["new,old,case", *lines]) + "\n")
    return str(path)


def test_exact_a_gate_that_is_undecided_then_passes(run: Any, tmp_path: Path) -> None:
    status, out, _ = run("create", *PAIR, "--margin", "0.1")
    series = out.strip()
    first = write_batch(tmp_path, 1, (0.2, 0.25))
    second = write_batch(tmp_path, 2, (0.1, 0.6))
    outcomes = [run("add", series, each, "--require", "not_worse") for each in (first, second)]
    again = run("add", series, second, "--require", "better")
    shown = run("show", series)

    assert status == 0
    assert [each[0] for each in outcomes] == [3, 0]
    assert outcomes[0][1].startswith("UNDECIDED\nAfter 120 rows nothing is decided about new and")
    assert outcomes[1][1].startswith("PASS\nAfter 240 rows new is better than old: the mean ")
    assert again[0] == 0
    assert "was added before, as look 2, and is not counted again" in again[2]
    assert "new: better, decided at look 2." in shown[1]
    assert "240  " in shown[1]
    listed = json.loads(run("list", "--json")[1])
    assert [each["batches"] for each in listed if each["id"] == series] == [2]


def test_exact_a_worse_model_fails_and_a_closed_series_refuses(run: Any, tmp_path: Path) -> None:
    series = run("create", *PAIR, "--margin", "0.05")[1].strip()
    bad = write_batch(tmp_path, 3, (0.7, 0.1))
    failed = run("add", series, bad, "--require", "not_worse", "--json")
    closed = run("close", series)
    refused = run("add", series, write_batch(tmp_path, 4, (0.1, 0.1)))
    deleted = run("delete", series, "--yes")

    assert failed[0] == 1
    assert json.loads(failed[1])["gate"] == "fail"
    assert closed[0] == 0
    assert "is closed. new: worse, decided at look 1." in closed[1]
    assert refused[0] == 5
    assert "closed and takes no more batches" in refused[2]
    assert deleted[0] == 0
    assert run("show", series)[0] == 5


def test_exact_clusters_and_a_request_in_a_file(run: Any, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    body = {"models": ["new", "old"], "unit": "cluster", "method": {"name": "asymptotic"}}
    request.write_text(json.dumps(body))
    series = run("create", str(request), "--name", "by case")[1].strip()
    batch = write_batch(tmp_path, 5, (0.1, 0.5), n=480)
    added = run("add", series, batch, "--cluster", "case", "--at", "2026-11-26T00:00:00Z", "--json")
    look = json.loads(added[1])

    assert (look["rows"], look["n"], look["decision"]) == (480, 120, "better")
    assert look["at"] == "2026-11-26T00:00:00Z"


def test_invalid_wrong_usage_has_the_status_2(run: Any, tmp_path: Path) -> None:
    series = run("create", *PAIR)[1].strip()
    other = tmp_path / "other.csv"
    other.write_text("new,third\n0,1\n1,1\n")
    batch = write_batch(tmp_path, 6, (0.1, 0.1))
    cases = {
        "no column 'old'": run("add", series, str(other)),
        "did you mean 0.95": run("create", *PAIR, "--level", "95"),
        "needs a margin": run("create", *PAIR, "--stop", "equivalent"),
        "a time with its zone": run("add", series, batch, "--at", "2026-11-26"),
    }

    for message, (status, _, error) in cases.items():
        assert status == 2, error
        assert message in " ".join(error.split())

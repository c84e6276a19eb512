from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.clients.test_against_service import LOSSES, points


def thetahat(url: str, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "thetahat_service.cli", *words],
        env={**os.environ, "THETAHAT_URL": url},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_exact_losses_are_submitted_watched_and_read(service_url: str, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"kind": "losses", "blocks": "random", "losses": LOSSES}))

    sent = thetahat(service_url, "submit", str(request))
    identifier = sent.stdout.strip()
    watched = thetahat(service_url, "watch", identifier)
    status = thetahat(service_url, "status", identifier)
    shown = thetahat(service_url, "result", identifier)
    whole = thetahat(service_url, "result", identifier, "--json")

    done = (sent, watched, status, shown, whole)
    assert [each.returncode for each in done] == [0] * 5, [each.stderr for each in done]
    assert watched.stdout == "succeeded\n"
    assert "succeeded" in status.stdout
    assert "Mean loss on data like these (" in shown.stdout
    assert "it is not clear which of nb and svm is better" in " ".join(shown.stdout.split())
    assert json.loads(whole.stdout)["models"]["nb"]["n"] == 6


def test_exact_a_file_of_data_is_cross_validated_in_one_command(
    service_url: str, tmp_path: Path
) -> None:
    request = {
        "kind": "cross_validation",
        "columns": {"target": "y", "features": ["x"]},
        "task": "regression",
        "learners": {"mean": "mean", "ridge": "ridge"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
        "loss": "squared",
    }
    data = str(points(tmp_path / "points.csv"))
    words = ("submit", "-", "--data", data, "--wait")

    done = thetahat(service_url, *words, stdin=json.dumps(request))

    assert done.returncode == 0, done.stderr
    assert "30 instances in 5 folds" in done.stdout
    assert "30 rows" in done.stderr


def test_invalid_requests_end_with_two_and_a_sentence(service_url: str) -> None:
    done = thetahat(service_url, "submit", "-", stdin='{"kind": "losses", "level": 2}')

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("thetahat: ")
    assert "Traceback" not in done.stderr


def test_exact_methods_of_a_real_family(service_url: str) -> None:
    done = thetahat(service_url, "methods", "variances")

    assert done.returncode == 0
    assert "theta_B: " in done.stdout
    assert "    errs: " in done.stdout

"""One heavy scikit-learn job on one and on two worker processes: the same bytes, in what time.

The service runs as ``thetahat serve`` does, in a folder of its own; what counts is the time from
``started_at`` to ``finished_at``, so its start is not in it. A first small job loads scikit-learn
into every worker. The load of the machine beside it is printed: with other work on its cores
the speed-up means nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RNG = np.random.default_rng(1)
N, P = 4_000, 20
X = RNG.normal(size=(N, P))
Y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=N) > 0, "yes", "no")


def forest(n_estimators: int) -> dict[str, Any]:
    """Return a learner's spec."""
    return {"name": "RandomForestClassifier", "params": {"n_estimators": n_estimators}}


def job(learners: dict[str, Any], n_folds: int) -> dict[str, Any]:
    """Return a request."""
    return {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": Y.tolist()},
        "task": "classification",
        "learners": learners,
        "scheme": {"name": "k_fold", "params": {"n_folds": n_folds}},
        "seed": 1,
    }


def run(client: httpx.Client, request: dict[str, Any]) -> tuple[float, bytes]:
    """Return the seconds from start to end, and the result."""
    evaluation = client.post("/v1/evaluations", json=request).json()
    while evaluation["status"] in {"queued", "running"}:
        evaluation = client.get(f"{evaluation['links']['self']}?wait=30").json()
    assert evaluation["status"] == "succeeded", evaluation["error"]
    begun, ended = (datetime.fromisoformat(evaluation[at]) for at in ("started_at", "finished_at"))
    return (ended - begun).total_seconds(), client.get(evaluation["links"]["result"]).content


def measure(workers: int, request: dict[str, Any]) -> tuple[float, bytes]:
    """Serve with so many workers, and run the job once all of them have scikit-learn loaded."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("serve", "--port", "0", "--data-dir", folder, "--workers", str(workers))
        log = Path(folder) / "log"
        with log.open("w") as output:
            serve = subprocess.Popen(
                [sys.executable, "-m", "service.cli", *words],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            while (ready := re.search(r"ready at (http://\S+)", log.read_text())) is None:
                time.sleep(0.1)
            with httpx.Client(base_url=ready[1], timeout=120) as client:
                run(client, job({f"f{i}": forest(1) for i in range(4)}, 8))
                return run(client, request)
        finally:
            serve.terminate()
            serve.wait()


def main() -> None:
    """Print both times, their ratio, and what else the machine did."""
    request = job({"forest": forest(60), "small": forest(30)}, 8)
    print(f"{os.cpu_count()} cores; load before: {os.getloadavg()[0]:.1f}")
    (one, first), (two, second) = measure(1, request), measure(2, request)
    same = "the same bytes" if first == second else "DIFFERENT BYTES"
    print(f"1 worker {one:.1f} s, 2 workers {two:.1f} s: {one / two:.2f} times as fast, {same}")
    print(f"load after: {os.getloadavg()[0]:.1f}, of which two are this job's")


if __name__ == "__main__":
    main()

"""Compare two versions of thetahat on one machine, through their command line and HTTP alone.

``python -m benchmarks.two_checkouts BEFORE NOW [--rounds 2] [--output FILE]``. Each argument is a
checkout in which ``make setup-runtime`` was run. The two take turns, part by part, and each start
of a service has a data folder, and on PostgreSQL a database, of its own. A median of all rounds is
printed for each figure.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
import orjson

from benchmarks.page import format_ratio, format_seconds, format_size
from benchmarks.service_load import build_request, send_requests
from benchmarks.tasks.service import build_losses_request, cancel_queued, draw_forest_request
from tests.servers.postgres import DURABLE, fresh_database, postgres_server

UNTIL_READY_S: Final = 120.0
UNTIL_IMPORTED_S: Final = 8.0
"""What the first request does not need is imported in the background meanwhile."""
REQUESTS: Final = 3000
FOREST: Final = {"n_estimators": 25, "random_state": 0}
SCRIPT: Final = f"""
import json, sys, time
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, cross_val_predict
body = json.load(open(sys.argv[1]))
X, y = np.array(body["data"]["X"]), np.array(body["data"]["y"])
for _ in range(6):
    began = time.perf_counter()
    folds = KFold(8, shuffle=True, random_state=0)
    cross_val_predict(RandomForestClassifier(**{FOREST!r}), X, y, cv=folds)
    print(time.perf_counter() - began)
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version of thetahat with its own environment.

    Parameters
    ----------
    folder : Path
        The root of the checkout; its environment is the folder ``.venv`` in it.
    """

    folder: Path

    @property
    def commands(self) -> Path:
        """The folder of its commands."""
        return self.folder / ".venv" / "bin"

    def time_command(self, name: str, arguments: Sequence[str], count: int = 7) -> list[float]:
        """Return the seconds of runs of a command; one more run before them is not counted."""
        seconds = []
        for _ in range(count + 1):
            began = time.perf_counter()
            command = [str(self.commands / name), *arguments]
            subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
            seconds.append(time.perf_counter() - began)
        return seconds[1:]

    @contextlib.contextmanager
    def serve(
        self, *arguments: str, database: str = "", settings: Mapping[str, str] | None = None
    ) -> Iterator[tuple[httpx.Client, int, float]]:
        """Run the service; the value is a client, the port and the seconds until it is ready."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
            environment = {**os.environ, "THETAHAT_MAX_UNFINISHED": "1000000", **(settings or {})}
            if database:
                environment["THETAHAT_DATABASE_URL"] = database
            words = ["serve", "--port", "0", "--data-dir", data, *arguments]
            log = Path(data) / "log"
            began = time.perf_counter()
            with log.open("w") as output:
                process = subprocess.Popen(
                    [str(self.commands / "thetahat"), *words],
                    cwd=self.folder, env=environment, stdout=output, stderr=subprocess.STDOUT,
                )  # fmt: skip
            try:
                port = _wait_until_ready(process, log, began)
                seconds = time.perf_counter() - began
                address = f"http://127.0.0.1:{port}"
                with httpx.Client(base_url=address, timeout=600) as client:
                    yield client, port, seconds
            finally:
                process.terminate()
                process.wait(60)


Report = Callable[[str, list[float]], None]
"""Stores figures: their name, whose end is the unit where it is not seconds, and their values."""


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path, began: float) -> int:
    """Return the port of a service that answers ``/readyz`` with 200."""
    while process.poll() is None and time.perf_counter() - began < UNTIL_READY_S:
        address = re.search(r"http://[\d.]+:(\d+)", log.read_text())
        if address is not None:
            with contextlib.suppress(httpx.HTTPError):
                url = f"http://127.0.0.1:{address[1]}/readyz"
                if httpx.get(url).status_code == httpx.codes.OK:
                    return int(address[1])
        time.sleep(0.01)
    message = f"The service did not become ready: {log.read_text()[-500:]}"
    raise RuntimeError(message)


def evaluate(client: httpx.Client, body: bytes) -> tuple[float, dict[str, Any]]:
    """Return the seconds from submission to result, and the evaluation."""
    headers = {"Prefer": "wait=60", "Content-Type": "application/json"}
    began = time.perf_counter()
    evaluation = client.post("/v1/evaluations", content=body, headers=headers).json()
    while evaluation.get("status") in {"queued", "running"}:
        evaluation = client.get(f"/v1/evaluations/{evaluation['id']}?wait=30").json()
    seconds = time.perf_counter() - began
    if evaluation.get("status") != "succeeded":
        raise RuntimeError(str(evaluation)[:500])
    return seconds, evaluation


def measure_commands(checkout: Checkout, report: Report, _server: str) -> None:
    """Report the times of commands in a process of their own."""
    report("`import thetahat`", checkout.time_command("python", ["-c", "import thetahat"]))
    for option in ("--version", "--help"):
        report(f"`thetahat {option}`", checkout.time_command("thetahat", [option]))


def measure_starts(checkout: Checkout, report: Report, server: str) -> None:
    """Report starts of the service, and the first evaluation after each."""
    rng = np.random.default_rng(1)
    for database, open_database in _list_databases(server):
        for _ in range(3):
            with open_database() as url, checkout.serve(database=url) as (client, _, seconds):
                body = build_losses_request(rng, 10, 1000, zero_one=False)
                report(f"`thetahat serve` until ready, {database}", [seconds])
                report(f"first evaluation after that, {database}", [evaluate(client, body)[0]])


def measure_fresh_installation(checkout: Checkout, report: Report, _server: str) -> None:
    """Report the first evaluation where no compiled loops are found."""
    body = build_losses_request(np.random.default_rng(1), 10, 1000, zero_one=False)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"NUMBA_CACHE_DIR": folder}
        with checkout.serve(settings=settings) as (client, _, _):
            report("first evaluation without compiled loops", [evaluate(client, body)[0]])


def measure_small_jobs(checkout: Checkout, report: Report, server: str) -> None:
    """Report small evaluations from submission to result, and requests in a second."""
    rng = np.random.default_rng(1)
    for database, open_database in _list_databases(server):
        with open_database() as url, checkout.serve(database=url) as (client, port, _):
            evaluate(client, build_losses_request(rng, 10, 1000, zero_one=False))
            time.sleep(UNTIL_IMPORTED_S)
            for zero_one, losses in ((True, "losses of 0 and 1"), (False, "numbers")):
                bodies = [build_losses_request(rng, 10, 1000, zero_one=zero_one) for _ in range(31)]
                name = f"10 x 1000 x 2 {losses}, {database}"
                report(name, [evaluate(client, body)[0] for body in bodies])
            _measure_rates(client, port, report, database)


def _measure_rates(client: httpx.Client, port: int, report: Report, database: str) -> None:
    body = build_losses_request(np.random.default_rng(2), 2, 3, zero_one=True)
    submission = build_request("POST", "/v1/evaluations", body)
    rates = [
        asyncio.run(send_requests(port, lambda _: submission, REQUESTS // 3))[0] for _ in range(3)
    ]
    report(f"submissions with busy workers, {database}, a second", rates)
    stored = client.get("/v1/evaluations?limit=200").json()["items"]
    cancel_queued(client, port)
    polls = [build_request("GET", f"/v1/evaluations/{item['id']}") for item in stored]
    rates = [
        asyncio.run(send_requests(port, lambda at: polls[at % len(polls)], REQUESTS))[0]
        for _ in range(3)
    ]
    report(f"polls, {database}, a second", rates)


def measure_wide_data(checkout: Checkout, report: Report, _server: str) -> None:
    """Report whole evaluations of 72 rows of 16 000 columns, from the file to the result."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 72)
    X = rng.normal(size=(72, 16_000))
    X[:, :50] += 0.5 * y[:, None]
    file = io.BytesIO()
    np.savez(file, X=X, y=y)
    headers = {"Content-Type": "application/x-npz"}
    with checkout.serve() as (client, _, _):
        time.sleep(UNTIL_IMPORTED_S)
        for learner in ("majority", "nearest_mean", "linear_discriminant"):
            began = time.perf_counter()
            uploaded = client.post("/v1/datasets", content=file.getvalue(), headers=headers).json()
            body = {
                "kind": "cross_validation", "dataset": uploaded["id"], "columns": {"target": "y"},
                "task": "classification", "learners": {"m": learner}, "loss": "zero_one",
                "scheme": {"name": "k_fold", "params": {"n_folds": 10}},
            }  # fmt: skip
            evaluate(client, orjson.dumps(body))
            name = f"72 rows of 16 000 columns from file to result, `{learner}`"
            report(name, [time.perf_counter() - began])


def measure_large_jobs(checkout: Checkout, report: Report, _server: str) -> None:
    """Report evaluations of many blocks, and of all pairs of many models."""
    rng = np.random.default_rng(3)
    with checkout.serve() as (client, _, _):
        time.sleep(UNTIL_IMPORTED_S)
        for kind in ("random", "source"):
            losses = rng.normal(size=(100_000, 2)).round(4).tolist()
            body = orjson.dumps({"kind": "losses", "blocks": kind, "losses": {"a": losses}})
            name = f"one model over 100 000 blocks of two, {kind}"
            report(name, [evaluate(client, body)[0] for _ in range(3)])
        shared = rng.normal(size=1000)
        models = {
            f"m{i}": [np.abs(shared + rng.normal(size=1000) + i / 1e3).round(5).tolist()]
            for i in range(200)
        }
        request = {"kind": "losses", "blocks": "holdout", "losses": models, "seed": 1}
        seconds, evaluation = evaluate(client, orjson.dumps(request))
        report("all 19 900 pairs of 200 models", [seconds])
        result = client.get(
            f"/v1/evaluations/{evaluation['id']}/result", headers={"Accept-Encoding": "identity"}
        )
        report("size of that result, MB", [len(result.content) / 1e6])


def measure_forests(checkout: Checkout, report: Report, _server: str) -> None:
    """Report a job of about a second beside a script, and jobs on one and on two workers."""
    body = draw_forest_request(8)
    one = {"forest": {"name": "RandomForestClassifier", "params": FOREST}}
    text = orjson.dumps(body | {"learners": one})
    with checkout.serve("--workers", "1") as (client, _, _):
        evaluate(client, text)
        time.sleep(UNTIL_IMPORTED_S)
        seconds = [evaluate(client, text)[0] for _ in range(6)]
        report("eight fits of a forest, by HTTP", seconds[1:])
    with tempfile.TemporaryDirectory() as folder:
        request, script = Path(folder) / "request.json", Path(folder) / "script.py"
        request.write_bytes(text)
        script.write_text(SCRIPT)
        command = [str(checkout.commands / "python"), str(script), str(request)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        report("eight fits of a forest, in a script", [float(t) for t in printed.split()[1:]])
    for trees in (10, 60):
        for workers in (1, 2):
            with checkout.serve("--workers", str(workers)) as (client, _, _):
                time.sleep(UNTIL_IMPORTED_S)
                _run_forests(client, body, 1)  # loads scikit-learn into every worker
                seconds = [_run_forests(client, body, trees) for _ in range(3)]
                report(f"32 fits of a forest of {trees} trees, {workers} workers", seconds)


def _run_forests(client: httpx.Client, body: Mapping[str, Any], trees: int) -> float:
    """Return the seconds between start and end of a job of four forests."""
    params = {"n_estimators": trees}
    learners = {f"f{i}": {"name": "RandomForestClassifier", "params": params} for i in range(4)}
    _, evaluation = evaluate(client, orjson.dumps({**body, "learners": learners}))
    start, end = (datetime.fromisoformat(evaluation[at]) for at in ("started_at", "finished_at"))
    return (end - start).total_seconds()


def _list_databases(
    server: str,
) -> tuple[tuple[str, Callable[[], contextlib.AbstractContextManager[str]]], ...]:
    return (
        ("SQLite", _open_sqlite),
        ("PostgreSQL", lambda: fresh_database(server)),
    )


def _open_sqlite() -> contextlib.AbstractContextManager[str]:
    """Return no URL: the service then uses a file of SQLite in its data folder."""
    return contextlib.nullcontext("")


PARTS: Final[Mapping[str, Callable[[Checkout, Report, str], None]]] = {
    "commands": measure_commands,
    "starts": measure_starts,
    "small_jobs": measure_small_jobs,
    "large_jobs": measure_large_jobs,
    "forests": measure_forests,
    "wide_data": measure_wide_data,
    "fresh_installation": measure_fresh_installation,
}


def describe_figure(name: str, before: Sequence[float], now: Sequence[float]) -> str:
    """Return one line of the Markdown table: both medians, and how many times as good it is now."""
    cells = [name]
    for values in (before, now):
        if not values:
            cells.append("failed")
        elif name.endswith(", a second"):
            cells.append(format_size(round(statistics.median(values))))
        elif name.endswith(", MB"):
            cells.append(f"{statistics.median(values):.1f}")
        else:
            cells.append(format_seconds(statistics.median(values)))
    ratio = ""
    if before and now:
        times = statistics.median(before) / statistics.median(now)
        ratio = format_ratio(1 / times if name.endswith(", a second") else times)
    return f"| {' | '.join([*cells, ratio])} |"


def main() -> int:
    """Measure both checkouts, print each figure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="checkout of the older version")
    parser.add_argument("now", type=Path, help="checkout of the newer version")
    parser.add_argument("--rounds", type=int, default=2, help="how often both are measured")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; repeatable")
    parser.add_argument("--output", type=Path, help="file for the table; it is printed anyway")
    chosen = parser.parse_args()
    checkouts = {"before": Checkout(chosen.before), "now": Checkout(chosen.now)}
    figures: dict[str, dict[str, list[float]]] = {}
    with postgres_server(DURABLE) as server:
        for _ in range(chosen.rounds):
            for part in chosen.only or PARTS:
                for side, checkout in checkouts.items():

                    def report(name: str, values: list[float], side: str = side) -> None:
                        by_side = figures.setdefault(name, {"before": [], "now": []})
                        by_side[side] += values
                        print(f"{side:6s} {name:64s} {statistics.median(values):.4g}", flush=True)

                    try:
                        PARTS[part](checkout, report, server)
                    except Exception as fault:  # noqa: BLE001 - the other parts are measured
                        print(f"{side:6s} {part} failed: {fault!r:.300}", flush=True)
    lines = ["| figure | before | now | times as good |", "|---|---:|---:|---:|"]
    lines += [describe_figure(name, **values) for name, values in figures.items()]
    print("\n".join(lines))
    if chosen.output is not None:
        chosen.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
        raw = chosen.output.with_suffix(".json")
        raw.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

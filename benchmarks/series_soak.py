"""How the time, the memory and the size of a series grow with its batches.

``python -m benchmarks.series_soak --batches 100000`` adds batches to one series of each method, in
an SQLite database in a temporary folder or, with ``--postgres``, in a PostgreSQL of its own; with
``--postgres URL`` in that empty database. After each tenth it prints the processor time of a batch
in this process, the times of reading the series and a page of its looks, the resident memory of
the process and the bytes of the state. The exit status is 1 if a batch is not counted once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.servers.postgres import DURABLE, postgres_server

ROWS: Final = 20
READS: Final = 50
METHODS: Final[dict[str, Any]] = {
    "asymptotic": "asymptotic",
    "binomial_mixture": "binomial_mixture",
    "bounded": {"name": "bounded", "params": {"range": [0, 1]}},
}


def main() -> None:
    """Add the batches and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.series_soak", description=__doc__)
    parser.add_argument("--batches", type=int, default=100_000)
    parser.add_argument(
        "--postgres", nargs="?", const="", metavar="URL", help="on PostgreSQL; an empty database"
    )
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["THETAHAT_DATA_DIR"] = folder
        os.environ["THETAHAT_MAX_SERIES_BATCHES"] = str(options.batches)
        if options.postgres is not None:
            server = options.postgres or stack.enter_context(postgres_server(DURABLE))
            os.environ["THETAHAT_DATABASE_URL"] = server
        from thetahat_service.storage import schema

        schema.upgrade()
        print(
            "method              batches  ms a batch  ms to read  ms a page  MB used  state bytes"
        )
        for name, method in METHODS.items():
            measure(name, method, options.batches)


def measure(name: str, method: Any, n_batches: int) -> None:
    """Add batches to a new series of one method, and print a line after each tenth."""
    from thetahat.analyses.series.batches import Batch
    from thetahat_service.series import adding, documents, keeping
    from thetahat_service.series.request import SeriesRequest
    from thetahat_service.storage.owners import LOCAL_OWNER_ID
    from thetahat_service.storage.series import ROWS as STORED

    request = SeriesRequest.model_validate({"models": ["new", "old"], "method": method})
    series, _ = keeping.create(LOCAL_OWNER_ID, request, None, "")
    rng = np.random.default_rng(1)
    step = max(n_batches // 10, 1)
    values: list[float] = []
    for first in range(0, n_batches, step):
        began = time.process_time()
        for number in range(first, first + step):
            losses = {model: (rng.random(ROWS) < 0.3).astype(float) for model in ("new", "old")}
            sent = adding.SentBatch(
                batch=Batch(losses=losses), at=None, key=str(number), fingerprint=""
            )
            adding.add(LOCAL_OWNER_ID, series.id, sent)
            values.append(float((losses["new"] - losses["old"]).sum()))
        of_batch = (time.process_time() - began) / step
        began = time.process_time()
        for _ in range(READS):
            documents.build_series_document(*keeping.get_with_latest(LOCAL_OWNER_ID, series.id))
        of_read = (time.process_time() - began) / READS
        began = time.process_time()
        for _ in range(READS):
            keeping.list_looks(LOCAL_OWNER_ID, series.id, None, 50)
        of_page = (time.process_time() - began) / READS
        size = len(json.dumps(STORED.fetch(LOCAL_OWNER_ID, series.id).state))
        print(
            f"{name:<18} {first + step:>8}  {1e3 * of_batch:>10.2f}  {1e3 * of_read:>10.2f}  "
            f"{1e3 * of_page:>9.2f}  {read_resident_mb():>7.1f}  {size:>11}",
            flush=True,
        )
    row, latest = keeping.get_with_latest(LOCAL_OWNER_ID, series.id)
    estimate = documents.build_series_document(row, latest)["latest"]["estimate"]
    n_rows = ROWS * len(values)
    counted = (row.batches, row.state["rows"])
    if counted != (len(values), n_rows) or not np.isclose(estimate, sum(values) / n_rows):
        sys.exit(f"{len(values)} batches were sent, and {counted} batches and rows are counted.")


def read_resident_mb() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()

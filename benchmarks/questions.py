"""Processor time and memory of evaluations with runs of items, or rows in the order of time.

``python -m benchmarks.runs_and_time`` evaluates two models with 0/1 losses, each case in a process
of its own with one BLAS thread. It prints the processor time of ``thetahat.evaluate`` and by how
much the peak of the resident memory grew during it.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import resource
import subprocess
import sys
from typing import Any, Final

import numpy as np

SIZES: Final = (10**3, 10**5, 10**6)
RUNS: Final = 5
"""Runs of each item."""
CASES: Final = {
    "neither": "one row for each instance",
    "item": "five rows for each item (`item`)",
    "run": "five rows for each item, the runs the same (`item` and `run`)",
    "time": "rows in the order of time (`time`)",
}


def main() -> None:
    """Print the table, or the line of one case in its own process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runs_and_time", description=__doc__)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    if options.case is not None:
        print(measure(options.case, options.rows))
        return
    print("| case | rows | seconds | MB |\n|---|---|---|---|")
    for case, words in CASES.items():
        for rows in SIZES:
            command = [sys.executable, "-m", "benchmarks.runs_and_time", "--case", case]
            done = subprocess.run(
                [*command, "--rows", str(rows)], check=True, capture_output=True, text=True
            )
            print(f"| {words} | {rows} | {done.stdout.strip()} |", flush=True)


def measure(case: str, rows: int) -> str:
    """Return the processor time of an evaluation and the growth of the peak of the memory."""
    import thetahat
    from thetahat.numerics.loops.compile_ahead import compile_all

    compile_all()
    rng = np.random.default_rng(1)
    losses = {
        name: (rng.random(rows) < rate).astype(float)
        for name, rate in zip("ab", (0.3, 0.28), strict=True)
    }
    fields: dict[str, Any] = {"blocks": "holdout"}
    if case == "time":
        fields["time"] = np.arange(rows)
    if case in {"item", "run"}:
        fields["item"] = np.repeat(np.arange(rows // RUNS), RUNS)
    if case == "run":
        fields["run"] = np.tile(np.arange(RUNS), rows // RUNS)
    warm = {name: each if name == "blocks" else each[:50] for name, each in fields.items()}
    thetahat.evaluate({name: each[:50] for name, each in losses.items()}, **warm)  # imports all
    before = resource.getrusage(resource.RUSAGE_SELF)
    thetahat.evaluate(losses, **fields)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{seconds:.3f} | {(after.ru_maxrss - before.ru_maxrss) / 1024:.0f}"


if __name__ == "__main__":
    main()

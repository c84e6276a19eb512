"""Measure all tasks: ``python -m benchmarks [--only NAME] [--short] [--output FOLDER]``."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import time
import warnings
from pathlib import Path

from benchmarks.limits import measure_limits
from benchmarks.page import describe_row, draw_figures, remove_figures, write_page
from benchmarks.registry import find_tasks, measure_task
from benchmarks.rows import Bench, BenchmarkRow
from thetahat.numerics.loops.compile_ahead import compile_all


def main() -> int:
    """Print the table, and write page, figures and JSON; the status is 1 if a row failed.

    They are written after each task, so that a run that is ended early leaves what it measured.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = find_tasks()
    parser.add_argument("--only", action="append", choices=names, help="this task; repeatable")
    parser.add_argument("--short", action="store_true", help="small sizes, each timed once")
    parser.add_argument("--output", type=Path, help="folder for page, figures and JSON")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    began = time.perf_counter()
    bench = Bench(limits=measure_limits(), short=chosen.short)
    compile_all()
    if chosen.output is not None:
        remove_figures(chosen.output)
    rows: list[BenchmarkRow] = []
    for name in chosen.only or names:
        of_task, task_began = [], time.perf_counter()
        for row in measure_task(name, bench):
            of_task.append(row)
            print(describe_row(row), flush=True)
        rows += of_task
        now = time.perf_counter()
        print(f"{name}: {len(of_task)} rows in {now - task_began:.0f} s", flush=True)
        if chosen.output is not None:
            draw_figures(chosen.output, of_task)
            write_page(chosen.output, rows, bench, now - began)
    print(f"{len(rows)} rows in {time.perf_counter() - began:.0f} s")
    return int(any(row.error for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())

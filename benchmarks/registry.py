"""The tasks by name: every module of ``benchmarks.tasks``."""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Iterator
from importlib import import_module

from benchmarks import tasks
from benchmarks.rows import Bench, BenchmarkRow


def find_tasks() -> list[str]:
    """Return the names of all modules with tasks."""
    return sorted(module.name for module in pkgutil.iter_modules(tasks.__path__))


def measure_task(name: str, bench: Bench) -> Iterator[BenchmarkRow]:
    """Yield the rows of one module; where it fails between rows, the last row says so."""
    started = time.perf_counter()
    try:
        yield from import_module(f"benchmarks.tasks.{name}").measure_rows(bench)
    except Exception as fault:  # noqa: BLE001 - the other tasks are measured all the same
        yield BenchmarkRow(
            task=name,
            use="The remaining rows of this task were not measured.",
            size=round(time.perf_counter() - started),
            unit="seconds until the failure",
            error=f"{type(fault).__name__}: {fault}",
        )

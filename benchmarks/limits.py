"""What this machine can do at most, measured in the same run as the rows."""

from __future__ import annotations

import os
import platform
import statistics
import time
from dataclasses import dataclass
from typing import Final

import numpy as np

BYTES_READ: Final = 80_000_000
"""More than caches hold."""
MATRIX_ROWS: Final = 1_200


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineLimits:
    """The rates of one core.

    Parameters
    ----------
    bytes_per_second : float
        Bytes read from memory, by a dot product of an array with itself.
    flops_per_second : float
        Floating-point operations of a product of two square matrices.
    processor : str
        Name of the processor.
    cores : int
        Number of cores.
    load : float
        Load of the machine before the run; above one, others worked on it.
    """

    bytes_per_second: float
    flops_per_second: float
    processor: str
    cores: int
    load: float

    def describe_limit(self, bytes_read: float, flops: float) -> tuple[float | None, str]:
        """Return the least seconds for so many bytes or operations, and the limit in words."""
        reading, counting = bytes_read / self.bytes_per_second, flops / self.flops_per_second
        if not reading and not counting:
            return None, ""
        if reading >= counting:
            return reading, f"{bytes_read / 1e6:.3g} MB read"
        return counting, f"{flops / 1e9:.3g} Gflop"


def measure_limits(repeats: int = 5) -> MachineLimits:
    """Measure the rates of one core."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=BYTES_READ // 8)
    matrix = rng.normal(size=(MATRIX_ROWS, MATRIX_ROWS))
    reading, counting = [], []
    for _ in range(repeats):
        start = time.process_time()
        values.dot(values)
        reading.append(time.process_time() - start)
        start = time.process_time()
        matrix @ matrix.T.copy()
        counting.append(time.process_time() - start)
    return MachineLimits(
        bytes_per_second=BYTES_READ / statistics.median(reading),
        flops_per_second=2 * MATRIX_ROWS**3 / statistics.median(counting),
        processor=_name_processor(),
        cores=os.cpu_count() or 1,
        load=os.getloadavg()[0],
    )


def _name_processor() -> str:
    """Return the processor's name as the system has it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123 - no path to join
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()

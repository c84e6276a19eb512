"""``python -m worker``: the processes that compute, on this machine."""

from __future__ import annotations

import os
import warnings

# One thread per process: the processes share the cores. It must be said before numpy is loaded,
# and a process that has no threads can be forked safely. The last is what joblib takes for the
# number of processors, so that a learner that asks for all of them is given one.
for _name in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
):
    os.environ.setdefault(_name, "1")


def main() -> None:
    """Run Celery's worker until it is told to end."""
    from celery.exceptions import SecurityWarning  # noqa: PLC0415 - after the variables above

    from service.gate import wait_at_gate  # noqa: PLC0415 - likewise
    from service.settings import settings  # noqa: PLC0415 - likewise
    from worker.app import app  # noqa: PLC0415 - likewise

    # Celery warns of root because a pickle could run anything; here messages are JSON alone.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    wait_at_gate()
    app.worker_main(
        [
            "--quiet",
            "worker",
            "--pool=prefork",
            f"--concurrency={settings().workers}",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--loglevel=WARNING",
        ]
    )


if __name__ == "__main__":
    main()

"""Workers and the command ``thetahat`` compute with one thread, whatever a learner asks for."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import thetahat_worker.main_process
import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from threadpoolctl import threadpool_info

HistGradientBoostingRegressor(max_iter=2).fit(np.ones((50, 2)), np.arange(50.0))
pools = {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
print(cpu_count(), effective_n_jobs(-1), _openmp_effective_n_threads(), sorted(pools.items()))
"""
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT")


def _run(**variables: str) -> str:
    rest = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**rest, **variables},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_exact_pools_and_jobs_have_one_thread() -> None:
    assert _run() == "1 1 1 [('openblas', 1), ('openmp', 1)]\n"


def test_exact_the_operator_may_say_otherwise() -> None:
    counts = _run(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1")
    assert counts.endswith("2 [('openblas', 1), ('openmp', 2)]\n")


def test_exact_the_command_thetahat_has_one_thread() -> None:
    script = "import os, sys; sys.argv[1:] = ['--version']; import thetahat_service.start as s; "
    script += "s.main(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    rest = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    run = [sys.executable, "-c", script]
    lines = subprocess.run(run, env=rest, check=True, capture_output=True, text=True).stdout.split()
    assert lines[-1] == "1"

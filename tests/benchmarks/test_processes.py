from __future__ import annotations

import os
import signal
import subprocess
import sys

from benchmarks.processes import read_memory

HOLDS_40_MB = "import time; kept = bytearray(b'1' * 40_000_000); print(flush=True); time.sleep(60)"
FORKS = f"import os, time; os.fork() and time.sleep(60); {HOLDS_40_MB}"


def test_exact_memory_is_that_of_the_processes_that_were_forked() -> None:
    command = [sys.executable, "-c", FORKS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as parent:
        try:
            assert parent.stdout is not None
            parent.stdout.readline()
            memory = read_memory([os.getpid()], parent.pid)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)
    assert len(memory["API"]) == 1
    (child,) = memory["worker"]
    assert 40_000_000 / 2**20 < child < 200

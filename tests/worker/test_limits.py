from __future__ import annotations

import subprocess
import sys

ALLOCATE = """
import numpy as np
from service.memory import limit_memory
limit_memory(300)
np.ones(100 * 2**17)
try:
    np.ones(400 * 2**17)
except MemoryError:
    print("refused")
np.ones(100 * 2**17)
"""


def test_exact_memory_beyond_the_limit_is_refused_and_the_process_lives_on() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALLOCATE], check=True, capture_output=True, text=True
    )
    assert done.stdout == "refused\n"

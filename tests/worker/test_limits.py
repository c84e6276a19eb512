from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from thetahat_service.process import memory
from thetahat_service.settings import MEBIBYTE, Settings

ALLOCATE = """
import numpy as np
from thetahat_service.process.memory import limit_memory
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


def test_exact_the_default_is_a_share_of_the_machines_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("THETAHAT_MEMORY_LIMIT_MB", raising=False)
    monkeypatch.setattr(memory, "CONTROL_GROUPS", tmp_path)
    pages = {"SC_PAGE_SIZE": MEBIBYTE, "SC_PHYS_PAGES": 6000}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    limits = [Settings(workers=n).memory_limit_mb for n in (1, 4, 100)]
    assert limits == [6000, 1500, 512]
    pages["SC_PHYS_PAGES"] = 10**6
    assert Settings(workers=1).memory_limit_mb == 8192
    assert Settings(workers=1, memory_limit_mb=300).memory_limit_mb == 300

    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    assert Settings(workers=100).memory_limit_mb == 8192


@pytest.mark.parametrize("name", ["memory.max", "memory/memory.limit_in_bytes"])
def test_exact_the_default_is_a_share_of_the_containers_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.delenv("THETAHAT_MEMORY_LIMIT_MB", raising=False)
    monkeypatch.setattr(memory, "CONTROL_GROUPS", tmp_path)
    pages = {"SC_PAGE_SIZE": MEBIBYTE, "SC_PHYS_PAGES": 6000}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    limit = tmp_path / name
    limit.parent.mkdir(exist_ok=True)

    limit.write_text(f"{4000 * MEBIBYTE}\n")
    assert Settings(workers=4).memory_limit_mb == 1000
    limit.write_text("max\n")
    assert Settings(workers=4).memory_limit_mb == 1500

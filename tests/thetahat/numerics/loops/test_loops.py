"""The compiled loops beside their numpy twins: the same numbers, whatever the size."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.numerics.loops import bootstrap
from thetahat.numerics.loops import sign_flips as sign_loops
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.hashes import STEP, mix


def test_naive_tables_of_signs_uncompiled() -> None:
    terms = np.random.default_rng(5).normal(size=70)
    keys = np.array([3, 2**63], dtype=np.uint64)
    padded = np.zeros(128)
    padded[:70] = terms
    tables = (padded.reshape(-1, 8) @ sign_loops._SIGNS).reshape(2, -1)
    first, other = np.zeros(300), np.zeros(300)
    with np.errstate(over="ignore"):
        sign_loops.look_up(tables, keys, first)
        numbers = np.arange(1, 301, dtype=np.uint64)[:, None]
        words = mix(keys + STEP * numbers)
    sign_loops.add_sums(terms, keys, other)

    signs = [[1 - 2 * (int(row[i // 64]) >> (i % 64) & 1) for i in range(70)] for row in words]
    assert_allclose(first, np.array(signs) @ terms, rtol=1e-12, atol=1e-13)
    assert (first == other).all()


def test_exact_numbers_are_the_same_from_run_to_run() -> None:
    """In another process too, which takes the machine code from disk."""
    script = (
        "import numpy as np\n"
        "from thetahat.paired_tests._sign_flips import random_sums\n"
        "terms = np.random.default_rng(7).normal(size=120_000)\n"
        "print(random_sums(terms, 100, np.random.default_rng(8)).tobytes().hex())\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }

    assert len(runs) == 1
    assert np.isfinite(np.frombuffer(bytes.fromhex(runs.pop()))).all()


def test_exact_a_loop_is_compiled_once() -> None:
    assert compiled(bootstrap.count_draws) is compiled(bootstrap.count_draws)


def test_degenerate_a_loop_is_compiled_where_nothing_can_be_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    njit = numba.njit

    # numba decorates functions of its own while it compiles its first loop, so any call passes.
    def without_disk(*functions: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("no locator available")
        return njit(*functions, **options)

    monkeypatch.setattr(numba, "njit", without_disk)
    out = np.zeros((1, 3))
    compiled.__wrapped__(bootstrap.count_draws)(np.array([[2, 0, 2]], dtype=np.uint32), out)

    assert out.tolist() == [[1, 0, 2]]

"""The compiled loops beside their numpy twins: the same numbers, whatever the size."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from thetahat.numerics.loops import moments as moment_loops
from thetahat.numerics.loops import sign_flips as sign_loops
from thetahat.numerics.loops import signed_ranks as rank_loops
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.hashes import STEP, mix
from thetahat.paired_tests._signed_ranks import sort_keys
from thetahat.values import moments as moments_module
from thetahat.values.layout import Layout, build_layout
from thetahat.values.moments import Moments, compute_moments_of_rows
from thetahat.values.types import BlockKind, FloatArray


def block_layout(block: list[int] | np.ndarray) -> Layout:
    return build_layout(BlockKind.RANDOM, np.asarray(block, dtype=np.intp))


def both_ways(
    values: FloatArray, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> tuple[Moments, Moments]:
    plain = compute_moments_of_rows(values, layout)
    monkeypatch.setattr(moments_module, "MANY_ROWS", 1)
    return plain, compute_moments_of_rows(values, layout)


def assert_same_moments(ours: Moments, other: Moments, rtol: float = 1e-11) -> None:
    assert ours.centred_squares is not None
    assert other.centred_squares is not None
    assert_allclose(ours.centred_squares, other.centred_squares, rtol=rtol)
    spread = float(np.sqrt(other.centred_squares.max()))
    assert_allclose(ours.deviations, other.deviations, rtol=rtol, atol=1e-13 * spread)
    assert_allclose(ours.sizes, other.sizes)
    assert ours.shift == other.shift


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("mean", [0.0, 1e8])
def test_naive_moments_in_one_pass(
    *, shuffled: bool, mean: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    sizes = np.array([1, 2, 7, 8, 9, 1000, 64])
    block = np.repeat(np.arange(7), sizes)
    block = rng.permutation(block) if shuffled else block
    values = mean + rng.normal(size=len(block))

    plain, one_pass = both_ways(values, block_layout(block), monkeypatch)

    assert_same_moments(one_pass, plain)


@pytest.mark.parametrize("mean", [0.0, 1e8])
def test_naive_moments_of_runs(*, mean: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short runs and a long one, compiled and as written."""
    rng = np.random.default_rng(1)
    sizes = np.append(np.arange(2, 40) % 13 + 1, 600)
    block = np.repeat(np.arange(len(sizes)), sizes)
    values, layout = mean + rng.normal(size=len(block)), block_layout(block)
    assert layout.starts is not None

    plain, one_pass = both_ways(values, layout, monkeypatch)
    written = np.empty((2, len(sizes)))
    lost = moment_loops.of_runs(values, layout.starts, values[0], 100.0, *written)

    assert_same_moments(one_pass, plain)
    assert_same_moments(replace(plain, deviations=written[0], centred_squares=written[1]), plain)
    assert not lost
    assert moment_loops.of_runs(values, layout.starts, values[0], 0.0, *written)


@pytest.mark.parametrize("at", [0, 3, 5])
def test_degenerate_not_a_number_in_a_short_run_stays_one(at: int) -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 5.0])
    values[at] = np.nan
    moments = moment_loops.by_runs(values, np.array([0, 3, 6], dtype=np.intp), 1.0)

    assert moments is not None
    assert np.isnan(moments[0]).tolist() == np.isnan(moments[1]).tolist() == [at < 3, at >= 3]


@pytest.mark.parametrize("shuffled", [False, True])
def test_naive_a_first_loss_far_out_is_left_to_two_passes(
    *, shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    block = np.arange(4000) % 4 if shuffled else np.repeat(np.arange(4), 1000)
    values = rng.normal(size=4000)
    values[0] = 1e6
    layout = block_layout(block)
    assert layout.starts is not None

    plain, checked = both_ways(values, layout, monkeypatch)

    if layout.narrow_split is None:
        assert moment_loops.by_runs(values, layout.starts, 0.0) is None
    else:
        rows = (values[:4], layout.n_test, layout.narrow_split)
        assert moment_loops.by_rows(values, *rows) is None
    assert_same_moments(checked, plain, rtol=1e-15)


def test_exact_zero_one_moments_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, 900).astype(np.float64)
    plain, one_pass = both_ways(
        values, block_layout(rng.permutation(np.arange(900) % 9)), monkeypatch
    )

    assert (one_pass.means == plain.means).all()


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 2**32))
def test_property_loops_uncompiled(block: list[int], seed: int) -> None:
    """Every line of the loops, as plain Python."""
    labels = np.array([*block, *range(4)])
    values = np.random.default_rng(seed).normal(size=len(labels))
    layout = block_layout(labels)
    assert layout.starts is not None
    first = np.array([values[labels == label][0] for label in layout.block_labels])
    split = layout.get_split_of_row()
    four = np.zeros((4, 8))
    moment_loops.of_rows(values, first, split, four)
    order = np.argsort(split, kind="stable")
    means, squares = np.empty(4), np.empty(4)
    lost = moment_loops.of_runs(values[order], layout.starts, 0.5, np.inf, means, squares)
    assert not lost

    for at in range(4):
        own = values[split == at] - first[at]
        assert_allclose(four[at, :4].sum(), own.sum(), atol=1e-12)
        assert_allclose(four[at, 4:].sum(), own @ own, atol=1e-12)
        assert_allclose(means[at], values[split == at].mean() - 0.5, atol=1e-12)
        assert_allclose(squares[at], own.var() * len(own), atol=1e-12)


@pytest.mark.parametrize("sizes", [(256, 255), (2400, 7), (3, 600)])
def test_naive_sums_of_long_runs_uncompiled(sizes: tuple[int, int]) -> None:
    """Of 256 rows and more side by side, of 2048 and more a quarter beside the other too."""
    starts = np.cumsum([0, *sizes])
    values = np.random.default_rng(4).normal(5, 1, starts[-1])
    means, squares = np.empty(2), np.empty(2)
    lost = moment_loops.of_runs(values, starts, 4.0, 100.0, means, squares)

    assert lost == moment_loops.of_runs(values, starts, 4.0, 100.0, means, squares)
    for at in range(2):
        own = values[starts[at] : starts[at + 1]]
        assert_allclose(means[at], own.mean() - 4, rtol=1e-12)
        assert_allclose(squares[at], own.var() * len(own), rtol=1e-11)


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
        "from thetahat.values.layout import build_layout\n"
        "from thetahat.values.moments import compute_moments_of_rows\n"
        "from thetahat.values.types import BlockKind\n"
        "x = np.random.default_rng(7).normal(size=120_000)\n"
        "lay = build_layout(BlockKind.RANDOM, np.random.default_rng(8).permutation(120_000) % 7)\n"
        "m = compute_moments_of_rows(x, lay)\n"
        "print(m.centred_squares.tobytes().hex(), m.deviations.tobytes().hex())\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }

    assert len(runs) == 1
    assert math.isfinite(float(np.frombuffer(bytes.fromhex(runs.pop().split()[0]))[0]))


def test_exact_a_loop_is_compiled_once() -> None:
    assert compiled(moment_loops.of_runs) is compiled(moment_loops.of_runs)


def test_degenerate_a_loop_is_compiled_where_nothing_can_be_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    njit = numba.njit

    def without_disk(*, nogil: bool, cache: bool = False) -> Any:
        if cache:
            raise RuntimeError("no locator available")
        return njit(nogil=nogil)

    monkeypatch.setattr(numba, "njit", without_disk)
    bits, out = np.empty(2, dtype=np.uint64), np.empty((2, 1))
    keys = sort_keys(np.array([[1.0, 2.0]]))
    compiled.__wrapped__(rank_loops.add_rows)(keys, bits, bits.view(np.float64), out)

    assert out.tolist() == [[3], [1]]

from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from thetahat.numerics import loops
from thetahat.numerics.loops import compile_ahead


def test_exact_warming_leaves_nothing_to_compile() -> None:
    script = (
        "import numba, numpy as np\n"
        "from thetahat.numerics.loops import bootstrap, cells, nearest_rows, sign_flips\n"
        "from thetahat_replications.loops import drawn_words\n"
        "from thetahat_replications.loops import gaussian_kernels, kernel_means\n"
        "from thetahat.numerics.loops.compiling import compiled\n"
        "from thetahat.numerics.loops.compile_ahead import compile_all\n"
        "compile_all()\n"
        "loops = [sign_flips.look_up,\n"
        "    bootstrap.draw_indices, bootstrap.count_draws, bootstrap.gather_sums,\n"
        "    drawn_words.add_words, drawn_words.score_blocks, drawn_words.score_others,\n"
        "    kernel_means.fill_nearest_squares, kernel_means.exchange,\n"
        "    gaussian_kernels.fill_squares, gaussian_kernels.exponentiate,\n"
        "    cells.count_kinds,\n"
        "    nearest_rows.find_smallest, nearest_rows.find_near, nearest_rows.rank]\n"
        "def kinds():\n"
        "    return [len(loop.signatures) for loop in map(compiled, loops)]\n"
        "print(kinds())\n"
        "from thetahat.paired_tests._sign_flips import random_sums\n"
        "rng = np.random.default_rng(1)\n"
        "x = rng.normal(size=120_000)\n"
        "random_sums(x, 100, rng)\n"
        "from thetahat.numerics.bootstrap.resamples import HashedResamples\n"
        "resamples = HashedResamples(np.array([0, 60_000, 60_100, 120_000]), 1, 10_000)\n"
        "resamples.counts(0, 2)\n"
        "resamples.sums(x[:, None], 0, 2)\n"
        "resamples.counts_by_kind(np.arange(120_000) % 9, 9, 0, 2)\n"
        "resamples = HashedResamples(np.array([0, 6_000]), 1, 10_000)\n"
        "resamples.sums_by_stratum(x[:12_000].reshape(6_000, 2), 0, 2)\n"
        "from thetahat.learners.fast.neighbours.over_splits import NeighbourSplits\n"
        "X, test = rng.normal(size=(1200, 6)), np.arange(9)\n"
        "splits = NeighbourSplits(X, X[:, 0] < 9, 2, lambda rows, squares: squares)\n"
        "splits.look_up(np.arange(1200))\n"
        "splits.nearest(test, np.arange(1200) % 2 == 0, 2)\n"
        "from scipy.sparse import csr_array\n"
        "rows = np.arange(400)\n"
        "from thetahat_replications.multiple_sources.documents import Documents\n"
        "from thetahat_replications.multiple_sources.ranked_documents import RankedDocuments\n"
        "X = csr_array(np.rint(abs(x)).reshape(400, 300))\n"
        "sample = RankedDocuments.rank(Documents(X, rows % 2, rows), 1.0).sample(rows)\n"
        "sample.compute_errors_by_block(rows % 3, 3)\n"
        "sample.compute_errors_on(rows)\n"
        "from thetahat_replications.batches import estimate_kernel_mean_matching_weights\n"
        "apart = rng.normal(size=(3, 50, 2)), rng.normal(size=(1, 60, 2))\n"
        "estimate_kernel_mean_matching_weights(*apart, rng)\n"
        "print(kinds())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    before, after = done.stdout.splitlines()
    assert before == after == str([1] * 15)


NOT_WARMED = {
    "order_statistics": "bootstrap of a quantile, kind bootstrap",
    "ranked_areas": "bootstrap of a metric of ranks",
}
"""Compiled where they are first wanted: rare, and quick to compile."""


def test_exact_every_loop_is_warmed_or_left_out_on_purpose() -> None:
    names = {module.name for module in pkgutil.iter_modules(loops.__path__)}
    warmed = {name for name in names if f"{name}." in inspect.getsource(compile_ahead)}
    assert names - warmed == {
        "compiling",
        "compile_ahead",
        "hashes",
        *NOT_WARMED,
    }


def test_invalid_a_package_that_cannot_be_imported_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[str] = []

    def compile_others() -> Iterator[None]:
        compiled.append("others")
        yield

    monkeypatch.setattr(compile_ahead, "one_by_one", lambda: iter(()))
    monkeypatch.setitem(sys.modules, "good_loops", SimpleNamespace(run=compile_others))
    names = ["no_such_package:run", "good_loops:no_such_function", "good_loops:run"]
    monkeypatch.setattr(
        compile_ahead,
        "entry_points",
        lambda group: [EntryPoint(name, name, group) for name in names],
    )

    with pytest.warns(RuntimeWarning, match="are not compiled in advance") as warned:
        assert list(compile_ahead.every_loop()) == [None]

    assert compiled == ["others"]
    assert len(warned) == 2

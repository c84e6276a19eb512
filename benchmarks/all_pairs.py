"""All pairs of many models, with every test that applies: time, memory, size of the result.

``python benchmarks/all_pairs.py [MODELS INSTANCES LOSS BLOCKS]`` runs one case; without arguments
all of them, each in a process of its own, so that the peak of memory is its own.

The peer is a loop over pairs that calls scipy.stats: a paired t test, Wilcoxon's and a sign test,
and 10 000 sign flips by numpy; timed on few pairs and scaled to all.
"""

from __future__ import annotations

import os
import sys

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import resource
import subprocess
import time
from typing import Any

import numpy as np
import orjson
import scipy.stats

from thetahat.analyses.losses import Choices, ChosenMethod, evaluate
from thetahat.numerics.loops.compile_ahead import compile_all
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import to_json
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

CASES = (
    (200, 10_000, "continuous", "random"),
    (200, 10_000, "zero_one", "random"),
    (200, 10_000, "continuous", "holdout"),
    (200, 10_000, "zero_one", "holdout"),
    (8, 1_000_000, "continuous", "random"),
    (2, 10_000_000, "continuous", "random"),
    (2, 10_000_000, "zero_one", "holdout"),
)
PAIRS_OF_PEER = 5
FLIPS = 10_000
HUGE = 10_000_000
STATS: Any = scipy.stats  # whose types depend on each argument


def draw_losses(n_models: int, n: int, loss: str, blocks: str) -> LossTable:
    """Draw the losses of models that share the difficulty of each instance."""
    rng = np.random.default_rng(1)
    kind = BlockKind(blocks)
    holdout = kind is BlockKind.HOLDOUT
    block = np.zeros(n, dtype=np.intp) if holdout else rng.permutation(np.arange(n) % 10)
    layout = build_layout(kind, block)
    shared = rng.normal(size=n)
    models = {}
    for i in range(n_models):
        score = shared + rng.normal(size=n) + 0.001 * i
        values = (score > 1).astype(np.float64) if loss == "zero_one" else np.abs(score)
        models[f"m{i}"] = BlockLosses(layout, values=values)
    return LossTable(layout, models, loss_range=(0.0, 1.0) if loss == "zero_one" else None)


def choose_tests(table: LossTable) -> Choices:
    """Return all applicable tests, without the bootstrap for ten million instances."""
    if table.layout.n_rows < HUGE:
        return Choices()
    zero_one = table.loss_range is not None
    tests_by_name = {
        name: kind()
        for name, kind in PAIRED_TESTS.items()
        if name != "bootstrap_difference"
        and (zero_one or name != "mcnemar")
        and kind().inapplicable(table.layout) is None
    }
    return Choices(
        tests=tuple(ChosenMethod(name, name, test) for name, test in tests_by_name.items())
    )


def time_peer(table: LossTable) -> float:
    """Return the mean CPU seconds of a loop over pairs; its sign flips are scaled from a few."""
    rows = [losses.rows for losses in table.models.values()]
    pairs = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))][:PAIRS_OF_PEER]
    rng = np.random.default_rng(2)
    start = time.process_time()
    for i, j in pairs:
        d = rows[i] - rows[j]
        STATS.ttest_rel(rows[i], rows[j])
        STATS.wilcoxon(d)
        STATS.binomtest(int((d > 0).sum()), max(1, int((d != 0).sum())))
    tests = time.process_time() - start
    n_flips = min(FLIPS, max(999, 10**9 // len(d)))
    n_timed = 10_000_000 // len(d) + 1
    start = time.process_time()
    for _ in range(n_timed):
        d @ (1.0 - 2.0 * rng.integers(0, 2, len(d)))
    return tests / len(pairs) + (time.process_time() - start) * n_flips / n_timed


def run_case(n_models: int, n: int, loss: str, blocks: str) -> None:
    """Run one case and print its line."""
    compile_all()
    table = draw_losses(n_models, n, loss, blocks)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, wall = time.process_time(), time.perf_counter()
    result = to_json(evaluate(table, choose_tests(table), 3))
    cpu, wall = time.process_time() - start, time.perf_counter() - wall
    n_pairs, tests = len(result["comparisons"]), len(result["comparisons"][0]["tests"])
    size = len(orjson.dumps(result)) / 1e6
    pairs = len(orjson.dumps(result["comparisons"])) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{n_models} models x {n}, {loss}, {blocks}: {n_pairs} pairs, {tests} tests each: "
        f"{cpu:.1f} s CPU, {wall:.1f} s wall, {1e3 * cpu / n_pairs:.2f} ms a pair; peak {peak:.0f} "
        f"MB (with the losses {before:.0f}); result {size:.1f} MB ({result['detail']}), of which "
        f"pairs {pairs:.1f} MB",
        flush=True,
    )
    peer = time_peer(table) * n_pairs
    print(f"    a loop of four tests by scipy and numpy: {peer:.0f} s, ratio {peer / cpu:.1f}")


def main() -> None:
    if len(sys.argv) == 5:
        run_case(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
        return
    for case in CASES:
        subprocess.run([sys.executable, __file__, *map(str, case)], check=True)


if __name__ == "__main__":
    main()

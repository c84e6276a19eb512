"""Processor time and memory of each question about two models, by the number of rows.

``python -m benchmarks.questions`` asks each question in a process of its own with one BLAS thread,
after a small one of the same kind. It prints the table of ``docs/scale.md``: the processor time of
the function of the library, and the peak of the resident memory of the process.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np

SIZES: Final = (10**3, 10**5, 10**6)
RUNS: Final = 5
"""Runs of each item."""
SMALL: Final = 100
"""Rows of the first call, which imports what is needed."""
LABELLED: Final = 0.1
"""Share of the rows that people labelled, where a judge graded all."""

Case = Callable[[int], object]


def draw_losses(n: int) -> dict[str, np.ndarray]:
    """Return the 0/1 losses of two models."""
    rng = np.random.default_rng(1)
    return {name: (rng.random(n) < rate) * 1.0 for name, rate in (("a", 0.3), ("b", 0.28))}


def evaluate(**columns: Callable[[int], Any]) -> Case:
    """Return the evaluation of losses with these fields, each a function of the number of rows."""

    def ask(n: int) -> object:
        import thetahat

        losses: Any = draw_losses(n)
        fields: Any = {name: column(n) for name, column in columns.items()}
        return thetahat.evaluate(losses, blocks="holdout", **fields)

    return ask


def evaluate_judged(n: int) -> object:
    """Evaluate losses of which a judge graded all rows and people labelled a share."""
    import thetahat

    rng, grades = np.random.default_rng(2), draw_losses(n)
    is_labelled = rng.random(n) < LABELLED
    losses: Any = {
        name: np.where(is_labelled, np.where(rng.random(n) < 0.1, 1 - of, of), np.nan)
        for name, of in grades.items()
    }
    return thetahat.evaluate(losses, blocks="holdout", judge={"losses": grades})


def evaluate_predictions(loss: str, **fields: Any) -> Case:
    """Return the evaluation of two models' probabilities, prediction sets or limits."""

    def ask(n: int) -> object:
        import thetahat

        rng = np.random.default_rng(3)
        chances = {name: rng.beta(2, 3, n) for name in "ab"}
        truth: Any = (rng.random(n) < chances["a"]).astype(np.intp)
        sent: dict[str, Any] = {"scores": chances}
        if loss == "miscoverage":
            sent = {
                "sets": {name: np.column_stack([p < 0.8, p > 0.2]) for name, p in chances.items()}
            }
            sent["classes"] = [0, 1]
        if loss == "interval_score":
            truth = rng.standard_normal(n)
            sent = {
                "limits": {name: {"lower": p - 2, "upper": p + 2} for name, p in chances.items()}
            }
        asked: Any = {**sent, **fields}
        return thetahat.evaluate_predictions(truth, loss=loss, blocks="holdout", **asked)

    return ask


def measure_raters(n: int) -> object:
    """Measure the agreement of two raters."""
    import thetahat

    ratings: Any = {name: of.astype(np.intp) for name, of in draw_losses(n).items()}
    return thetahat.measure_agreement(ratings)


def draw_groups(n: int) -> dict[str, np.ndarray]:
    """Return a column of ten groups."""
    return {"group": np.arange(n) % 10}


def draw_costs(n: int) -> dict[str, np.ndarray]:
    """Return the costs of two models by row."""
    rng = np.random.default_rng(4)
    return {name: rng.gamma(2.0, size=n) for name in "ab"}


CASES: Final[dict[str, tuple[str, Case]]] = {
    "plain": ("two models, one row for each instance", evaluate()),
    "groups": ("ten groups (`groups`)", evaluate(groups=draw_groups)),
    "judge": ("grades of a judge, a tenth labelled (`judge`)", evaluate_judged),
    "item": ("five rows for each item (`item`)", evaluate(item=lambda n: np.arange(n) // RUNS)),
    "run": (
        "five rows for each item, the runs the same (`item` and `run`)",
        evaluate(item=lambda n: np.arange(n) // RUNS, run=lambda n: np.arange(n) % RUNS),
    ),
    "time": ("rows in the order of time (`time`)", evaluate(time=np.arange)),
    "cost": ("costs by row (`cost`)", evaluate(cost=draw_costs)),
    "relative": ("relative difference (`relative`)", evaluate(include=lambda _: ["relative"])),
    "wins": ("wins (`wins`)", evaluate(include=lambda _: ["wins"])),
    "brier": ("probabilities as losses (`brier`)", evaluate_predictions("brier")),
    "probabilities": (
        "whether probabilities come true (`probabilities`)",
        evaluate_predictions("brier", probabilities=True),
    ),
    "sets": ("prediction sets (`sets`)", evaluate_predictions("miscoverage")),
    "limits": ("prediction limits (`limits`)", evaluate_predictions("interval_score")),
    "agreement": ("agreement of two raters (`agreement`)", measure_raters),
}


def main() -> None:
    """Print the table, or the line of one case in its own process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.questions", description=__doc__)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    if options.case is not None:
        print(measure(CASES[options.case][1], options.rows))
        return
    print("| question | rows | seconds | MB |\n|---|---|---|---|")
    for case, (words, _) in CASES.items():
        for rows in SIZES:
            command = [sys.executable, "-m", "benchmarks.questions", "--case", case]
            done = subprocess.run(
                [*command, "--rows", str(rows)], check=True, capture_output=True, text=True
            )
            print(f"| {words} | {rows} | {done.stdout.strip()} |", flush=True)


def measure(ask: Case, rows: int) -> str:
    """Return the processor time of a question and the peak of the memory of the process."""
    from thetahat.numerics.loops.compile_ahead import compile_all

    compile_all()
    ask(SMALL)
    before = resource.getrusage(resource.RUSAGE_SELF)
    ask(rows)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{seconds:.3f} | {after.ru_maxrss / 1024:.0f}"


if __name__ == "__main__":
    main()

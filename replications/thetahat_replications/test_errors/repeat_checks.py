"""What more repeats of the same rows change, where a comparison is undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from thetahat.analyses.losses.evidence import compute_evidence
from thetahat.analyses.losses.plans import SPLITS_OF_STUDY
from thetahat.values.types import BlockKind
from thetahat_replications.test_errors.designs import Cell, Design
from thetahat_replications.test_errors.plan_checks import (
    CONTROL,
    ask,
    find_default_basis,
    list_planned_cells,
)
from thetahat_replications.test_errors.repetitions import (
    ALPHA,
    Experiment,
    make_seed,
    run_experiment,
)

WORSE: Final = "d"
"""The model that is worse than the first."""
DESIGNS_TO_REPEAT: Final = ("10-fold", "5-fold", "5x10", "random draws")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RepeatTrial:
    """An undecided comparison, and the same rows under more splits."""

    is_decided: bool
    """Whether more splits of the same rows show that the model is worse."""
    error_ratio: float
    """The standard error with more splits over the first."""


def check_repeats(seed: int, repetitions: int, processes: int) -> list[Row]:
    """Return a row for each cell: how often repeats decide what was undecided."""
    cells = [
        cell
        for cell in list_planned_cells()
        if cell.design.name in DESIGNS_TO_REPEAT and cell.trained == "trained"
    ]
    run = partial(_run_cell, seed=seed, repetitions=repetitions)
    with ProcessPoolExecutor(processes) as pool:
        trials = pool.map(run, cells)
        return [
            _summarise(cell, of_cell, repetitions)
            for cell, of_cell in zip(cells, trials, strict=True)
            if of_cell
        ]


def _run_cell(cell: Cell, seed: int, repetitions: int) -> list[RepeatTrial]:
    trials = []
    for index in range(repetitions):
        own_seed = make_seed(seed, f"repeats, {cell.name}", index)
        first = _judge(run_experiment(cell, own_seed, models=(CONTROL, WORSE)))
        if first is None or first[0]:
            continue
        more = _judge(
            run_experiment(cell, own_seed, models=(CONTROL, WORSE), **repeat_more(cell.design))
        )
        if more is not None:
            trials.append(RepeatTrial(more[0], more[1] / first[1]))
    return trials


def repeat_more(design: Design) -> dict[str, int]:
    """Return the parameters with which a design has ``SPLITS_OF_STUDY`` splits."""
    if design.blocks == BlockKind.SUBSAMPLES.value:
        return {"n_draws": SPLITS_OF_STUDY}
    assert design.folds is not None  # noqa: S101 - the others are partitions
    return {"n_repeats": SPLITS_OF_STUDY // design.folds}


def _judge(experiment: Experiment) -> tuple[bool, float] | None:
    """Return whether the worse model is shown to be worse, and the standard error."""
    basis = find_default_basis(experiment.table, WORSE)
    if basis is None:
        return None
    p_value = compute_evidence(ask(WORSE, basis), None).difference
    is_shown = basis.difference > 0 and p_value is not None and p_value < ALPHA
    return is_shown, basis.standard_error


def _summarise(cell: Cell, trials: Sequence[RepeatTrial], repetitions: int) -> Row:
    share = float(np.mean([trial.is_decided for trial in trials]))
    error = float(np.sqrt(share * (1 - share) / len(trials)))
    return {
        "design": cell.design.name,
        "loss": cell.loss,
        "n": cell.n,
        "repeated": is_repeated(cell.design),
        "samples": repetitions,
        "undecided": len(trials),
        "error_ratio": round(float(np.median([trial.error_ratio for trial in trials])), 3),
        "decided": [round(share, 4), round(error, 4)],
    }


def is_repeated(design: Design) -> bool:
    """Return whether the first experiment has several partitions or draws already."""
    return design.repeated or design.blocks == BlockKind.SUBSAMPLES.value


def average_decided(rows: Sequence[Mapping[str, Any]], *, repeated: bool) -> float:
    """Return the share of undecided comparisons that repeats decided, over the cells."""
    chosen = [row for row in rows if row["repeated"] == repeated]
    undecided = [row["undecided"] for row in chosen]
    return float(np.average([row["decided"][0] for row in chosen], weights=undecided))

"""Whether plans keep their promise: a second experiment of the planned size, drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from replications.test_errors.designs import Cell, list_cells
from replications.test_errors.repetitions import ALPHA, LEVEL, find_bases, make_seed, run_experiment
from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms, compute_evidence
from thetahat.analyses.losses.plans import VerdictBasis, plan
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import Decision, Plan
from thetahat.analyses.losses.verdicts import judge_briefly
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.values.layout import Layout

POWER: Final = 0.8
MAX_GROWTH: Final = 20
"""Plans for more than this many times the present data are counted and not carried out."""
PAIR: Final = ("a", "d")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlanTrial:
    """One undecided experiment and what became of its plan.

    Parameters
    ----------
    undecided : bool
        Whether the first experiment was undecided.
    unit : str or None
        The unit of the plan; None without a plan.
    growth : float
        Planned total over the present number.
    decided : bool or None
        Whether the second experiment showed the difference; None if it was not carried out.
    """

    undecided: bool
    unit: str | None = None
    growth: float = 1.0
    decided: bool | None = None


def list_planned_cells() -> Iterator[Cell]:
    """Yield the cells whose plans are carried out."""
    for cell in list_cells():
        if cell.trained != "stable" and cell.n <= 200:
            yield cell


def check_plans(
    margins: Mapping[str, float], seed: int, repetitions: int, processes: int
) -> list[Row]:
    """Return a row for each cell: how often the planned experiment shows the difference.

    Parameters
    ----------
    margins : mapping of str to float
        The true difference of each cell, by its name, which the plan assumes.
    """
    cells = list(list_planned_cells())
    with ProcessPoolExecutor(processes) as pool:
        trials = pool.map(
            _run_cell,
            [cell.name for cell in cells],
            [margins[cell.name] for cell in cells],
            [seed] * len(cells),
            [repetitions] * len(cells),
        )
        return [
            row
            for cell, of_cell in zip(cells, trials, strict=True)
            for row in _summarise(cell, of_cell)
        ]


def _run_cell(name: str, margin: float, seed: int, repetitions: int) -> list[PlanTrial]:
    cell = next(cell for cell in list_planned_cells() if cell.name == name)
    return [_run_trial(cell, margin, seed, index) for index in range(repetitions)]


def _run_trial(cell: Cell, margin: float, seed: int, index: int) -> PlanTrial:
    first = run_experiment(cell, make_seed(seed, f"plan 1, {cell.name}", index), models=PAIR)
    layout = first.table.layout
    basis = _find_basis(first.table)
    if basis is None or not _is_undecided(basis, layout, margin):
        return PlanTrial(undecided=False)
    made, _ = plan(basis, layout, alpha=ALPHA, power=POWER, margin=margin)
    if made is None:
        return PlanTrial(undecided=True)
    growth = made.total / (made.total - made.additional)
    if growth > MAX_GROWTH:
        return PlanTrial(undecided=True, unit=made.unit, growth=growth)
    second = run_experiment(
        cell, make_seed(seed, f"plan 2, {cell.name}", index), models=PAIR, **_enlarge(cell, made)
    )
    again = _find_basis(second.table)
    decided = (
        again is not None
        and again.difference > 0
        and (compute_evidence(_ask(again), None).difference or 1) < ALPHA
    )
    return PlanTrial(undecided=True, unit=made.unit, growth=growth, decided=decided)


def _find_basis(table: Any) -> VerdictBasis | None:
    target = DEFAULT_TARGET[table.layout.kind]
    return find_bases(table, only=target).get(("d", target))


def _ask(basis: VerdictBasis) -> PairQuestion:
    return PairQuestion(a="d", b="a", basis=basis, constant=None, n_units=0)


def _is_undecided(basis: VerdictBasis, layout: Layout, margin: float) -> bool:
    terms = VerdictTerms(
        level=LEVEL, margin=margin, correction=DEFAULT_CORRECTION, power=POWER, layout=layout
    )
    (verdict,) = judge_briefly([_ask(basis)], terms)
    return verdict.decision is Decision.UNDECIDED


def _enlarge(cell: Cell, made: Plan) -> dict[str, int]:
    """Return how the second experiment differs from the first."""
    growth = made.total / (made.total - made.additional)
    if made.unit == "sources":
        per_source = cell.n / cell.design.n_sources
        return {"n": round(made.total * per_source), "n_sources": made.total}
    if made.unit == "repeats":
        name = "n_draws" if cell.design.blocks == "subsamples" else "n_repeats"
        return {name: made.total}
    return {"n": round(cell.n * growth)}


def _summarise(cell: Cell, trials: list[PlanTrial]) -> Iterator[Row]:
    """Yield a row for each unit in which plans of the cell are made."""
    undecided = [trial for trial in trials if trial.undecided]
    units = dict.fromkeys(trial.unit for trial in undecided if trial.unit is not None)
    for unit in units:
        planned = [trial for trial in undecided if trial.unit == unit]
        done = np.array([trial.decided for trial in planned if trial.decided is not None])
        if not len(done):
            continue
        share = float(done.mean())
        yield {
            "design": cell.design.name,
            "loss": cell.loss,
            "n": cell.n,
            "trained": cell.trained,
            "unit": unit,
            "undecided": round(len(undecided) / len(trials), 4),
            "planned": len(planned),
            "carried_out": len(done),
            "growth": round(float(np.median([trial.growth for trial in planned])), 3),
            "promised": POWER,
            "kept": [round(share, 4), round(float(np.sqrt(share * (1 - share) / len(done))), 4)],
        }

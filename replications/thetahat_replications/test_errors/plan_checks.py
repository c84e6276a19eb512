"""Whether plans keep their promise: a second experiment of the planned size, drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms, compute_evidence
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import Decision, Plan
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.analyses.losses.verdicts import judge
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat_replications.test_errors.designs import Cell, list_cells
from thetahat_replications.test_errors.repetitions import (
    ALPHA,
    LEVEL,
    Experiment,
    find_bases,
    make_seed,
    run_experiment,
)

POWER: Final = 0.8
MAX_GROWTH: Final = 20
"""Plans for more than this many times the present data are counted and not carried out."""
CONTROL: Final = "a"

Row = dict[str, Any]
Assumption: TypeAlias = Literal["margin", "observed"]


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A comparison with the first model, and the difference that its plan assumes."""

    model: str
    """``d`` is worse than the first model by the margin, ``b`` is equally good."""
    assumes: Assumption
    """``margin``: the true difference of ``d``. ``observed``: that of the first experiment, as
    where a request has no margin."""


QUESTIONS: Final = (
    PlanQuestion("d", "margin"),
    PlanQuestion("d", "observed"),
    PlanQuestion("b", "observed"),
)


@dataclass(frozen=True, slots=True)
class PlanTrial:
    """One experiment and what became of its plan."""

    undecided: bool
    """Whether the first experiment was undecided."""
    unit: str | None = None
    """The unit of the plan; None without a plan."""
    growth: float = 1.0
    """Planned total over the present number."""
    shown: bool | None = None
    """Whether the second experiment showed a difference: that ``d`` is worse, or of ``b`` any. None
    if it was not carried out."""


def list_planned_cells() -> Iterator[Cell]:
    """Yield the cells whose plans are carried out."""
    for cell in list_cells():
        if cell.trained != "stable" and cell.n <= 200:
            yield cell


def check_plans(
    margins: Mapping[str, float], seed: int, repetitions: int, processes: int
) -> list[Row]:
    """Return a row for each cell, question and unit: how often the planned experiment decides.

    ``margins`` are the true differences of the cells, by name.
    """
    cells = list(list_planned_cells())
    with ProcessPoolExecutor(processes) as pool:
        trials = pool.map(
            _run_cell,
            cells,
            [margins[cell.name] for cell in cells],
            [seed] * len(cells),
            [repetitions] * len(cells),
        )
        return [
            row
            for cell, by_question in zip(cells, trials, strict=True)
            for question, of_question in by_question.items()
            for row in _summarise(cell, question, of_question)
        ]


def _run_cell(
    cell: Cell, margin: float, seed: int, repetitions: int
) -> dict[PlanQuestion, list[PlanTrial]]:
    trials: dict[PlanQuestion, list[PlanTrial]] = {question: [] for question in QUESTIONS}
    models = (CONTROL, *dict.fromkeys(question.model for question in QUESTIONS))
    for index in range(repetitions):
        first = run_experiment(cell, make_seed(seed, f"plan 1, {cell.name}", index), models=models)
        for question, of_question in trials.items():
            of_question.append(_run_trial(cell, question, first, margin, seed, index))
    return trials


def _run_trial(  # noqa: PLR0913 - what a trial is
    cell: Cell, question: PlanQuestion, first: Experiment, margin: float, seed: int, index: int
) -> PlanTrial:
    """Return what became of the plan that the verdict on the first experiment has."""
    basis = find_default_basis(first.table, question.model)
    if basis is None:
        return PlanTrial(undecided=False)
    terms = VerdictTerms(
        level=LEVEL,
        margin=margin if question.assumes == "margin" else None,
        correction=DEFAULT_CORRECTION,
        power=POWER,
        layout=first.table.layout,
    )
    (verdict,) = judge([ask(question.model, basis)], terms)
    if verdict.decision is not Decision.UNDECIDED:
        return PlanTrial(undecided=False)
    if verdict.plan is None:
        return PlanTrial(undecided=True)
    made = verdict.plan
    growth = made.total / (made.total - made.additional)
    if growth > MAX_GROWTH:
        return PlanTrial(undecided=True, unit=made.unit, growth=growth)
    name = f"plan 2, {question.model}, {question.assumes}, {cell.name}"
    second = run_experiment(
        cell,
        make_seed(seed, name, index),
        models=(CONTROL, question.model),
        **_enlarge(cell, made),
    )
    again = find_default_basis(second.table, question.model)
    shown = (
        again is not None
        and (again.difference > 0 or question.model != "d")
        and (compute_evidence(ask(question.model, again), None).difference or 1) < ALPHA
    )
    return PlanTrial(undecided=True, unit=made.unit, growth=growth, shown=shown)


def find_default_basis(table: Any, model: str) -> VerdictBasis | None:
    """Return what a verdict on a model and the first would rest on, for the default target."""
    target = DEFAULT_TARGET[table.layout.kind]
    return find_bases(table, only=target).get((model, target))


def ask(model: str, basis: VerdictBasis) -> PairQuestion:
    """Return the question whether a model differs from the first."""
    return PairQuestion(a=model, b=CONTROL, basis=basis, constant=None, n_units=0)


def _enlarge(cell: Cell, made: Plan) -> dict[str, int]:
    """Return how the second experiment differs from the first."""
    growth = made.total / (made.total - made.additional)
    if made.unit == "sources":
        per_source = cell.n / cell.design.n_sources
        return {"n": round(made.total * per_source), "n_sources": made.total}
    return {"n": round(cell.n * growth)}


def _summarise(cell: Cell, question: PlanQuestion, trials: list[PlanTrial]) -> Iterator[Row]:
    """Yield a row for each unit in which plans of the cell are made."""
    undecided = [trial for trial in trials if trial.undecided]
    units = dict.fromkeys(trial.unit for trial in undecided if trial.unit is not None)
    for unit in units:
        planned = [trial for trial in undecided if trial.unit == unit]
        shown = np.array([trial.shown for trial in planned if trial.shown is not None])
        if not len(shown):
            continue
        share = float(shown.mean())
        yield {
            "design": cell.design.name,
            "loss": cell.loss,
            "n": cell.n,
            "trained": cell.trained,
            "model": question.model,
            "assumes": question.assumes,
            "unit": unit,
            "undecided": round(len(undecided) / len(trials), 4),
            "planned": len(planned),
            "carried_out": len(shown),
            "growth": round(float(np.median([trial.growth for trial in planned])), 3),
            "promised": POWER,
            "shown": [round(share, 4), round(float(np.sqrt(share * (1 - share) / len(shown))), 4)],
        }

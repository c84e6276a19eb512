"""From records to rows: size, power and the error rates of words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from scipy.special import stdtr, stdtrit

from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import Decision
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.analyses.losses.verdicts import judge
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.values.layout import Layout, build_block_layout
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat_replications.test_errors.designs import Cell
from thetahat_replications.test_errors.repetitions import (
    ALPHA,
    LEVEL,
    find_bases,
    make_seed,
    run_experiment,
)
from thetahat_replications.test_errors.simulation import Records, find_cells

EQUAL: Final = ("b", "c")
"""Models whose expected loss is that of ``a``."""
LARGEST_DEGREES: Final = 1e12
"""In the place of infinitely many, which the t distribution of scipy does not take."""

Row = dict[str, Any]


def find_margin(records: Records) -> float:
    """Return the difference of ``d`` and ``a``: the average of the estimates."""
    return float(np.nanmean(records["mean/d"]))


def tabulate(records: Mapping[str, Records]) -> Iterator[Row]:
    """Yield the rows of every cell."""
    for cell, of_cell in find_cells(records):
        bases = find_bases(run_experiment(cell, make_seed(0, cell.name, 0)).table)
        names = {target: f"{basis.method}:{basis.variance}" for (_, target), basis in bases.items()}
        place = {
            "design": cell.design.name,
            "loss": cell.loss,
            "n": cell.n,
            "trained": cell.trained,
        }
        for row in _judge_intervals(cell, of_cell):
            yield {**place, **row, "name": names.get(Target(row["target"]), "")}
        for row in _judge_tests(of_cell):
            yield {**place, **row}


def find_truth(cell: Cell, records: Records, pair: str, target: Target) -> FloatArray | None:
    """Return the (repetitions,) true differences of a target, or None where they are unknown.

    Sources that favour one model or the other leave only the average over sources known.
    """
    groups = cell.design.groups
    n = len(records["mean/d"])
    known = np.full(n, find_margin(records) if pair == "d" else 0.0)
    if cell.trained == "trained" and target is Target.THESE_MODELS:
        return records.get(f"truth/{pair}")
    if groups == "own sources" and target is not Target.NEW_SOURCE:
        return None
    if groups == "none" and target is Target.NEW_SOURCE:
        return None
    return known


def _judge_intervals(cell: Cell, records: Records) -> Iterator[Row]:
    """Yield the size, power and words of the verdict on each target."""
    default = DEFAULT_TARGET[cell.design.block_kind]
    for target in Target:
        bases = {
            pair: _read_basis(records, pair, target)
            for pair in (*EQUAL, "d")
            if f"interval/{pair}/{target.value}/difference" in records
        }
        truths = {pair: find_truth(cell, records, pair, target) for pair in bases}
        if len(bases) < 3 or any(truth is None for truth in truths.values()):
            continue
        known = {pair: truth for pair, truth in truths.items() if truth is not None}
        missed = [_is_missed(bases[pair], known[pair]) for pair in EQUAL]
        yield {
            "subject": "verdict",
            "target": target.value,
            "default": target is default,
            "size": _average(np.mean(missed, axis=0)),
            "power": _average(_is_difference_detected(bases["d"])),
            **_judge_words(cell, bases, known, find_margin(records), target),
        }


def _read_basis(records: Records, pair: str, target: Target) -> FloatArray:
    """Return the (3, repetitions) differences, standard errors and degrees of freedom."""
    place = f"interval/{pair}/{target.value}"
    return np.array([records[f"{place}/{field}"] for field in ("difference", "error", "degrees")])


def _is_missed(basis: FloatArray, truth: FloatArray) -> FloatArray:
    """Return whether the interval of level 0.95 excludes the truth; 0 without an interval."""
    difference, error, degrees = basis
    quantile = stdtrit(np.minimum(degrees, LARGEST_DEGREES), 1 - ALPHA / 2)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(difference - truth) > quantile * error, dtype=np.float64)


def _is_difference_detected(basis: FloatArray) -> FloatArray:
    """Return whether the difference is shown, in the right direction."""
    difference, error, degrees = basis
    with np.errstate(invalid="ignore"):
        p = 2 * stdtr(np.minimum(degrees, LARGEST_DEGREES), -np.abs(difference) / error)
        return np.asarray((p < ALPHA) & (difference > 0), dtype=np.float64)


def _judge_words(
    cell: Cell,
    bases: Mapping[str, FloatArray],
    truths: Mapping[str, FloatArray],
    margin: float,
    target: Target,
) -> Row:
    """Return how often each word is said of equal models, and of one worse by the margin.

    The margin is the difference of the worse model, so ``equivalent`` and ``not_worse`` are just
    false of it. For the fitted models a word is false if it is false of their own risks.
    """
    layout = _build_layout(cell)
    terms = VerdictTerms(
        level=LEVEL, margin=margin, correction=DEFAULT_CORRECTION, power=0.8, layout=layout
    )
    n = bases["d"].shape[1]
    words_by_pair: dict[str, list[float]] = {}
    for index in range(n):
        questions = {pair: _ask(pair, bases[pair][:, index], target) for pair in (*EQUAL, "d")}
        alone = {pair: _decide([question], terms)[0] for pair, question in questions.items()}
        together = _decide(list(questions.values()), terms)
        wrong = any(
            _is_false(decision, float(truths[pair][index]), margin)
            for pair, decisions in zip(questions, together, strict=True)
            for decision in decisions
        )
        words_by_pair.setdefault("any_false", []).append(float(wrong))
        for decision in Decision:
            if decision is Decision.UNDECIDED:
                continue
            equal = [float(decision in alone[pair]) for pair in EQUAL]
            words_by_pair.setdefault(f"equal_{decision}", []).append(sum(equal) / len(equal))
            words_by_pair.setdefault(f"worse_{decision}", []).append(float(decision in alone["d"]))
            false = [
                float(
                    decision in alone[pair]
                    and _is_false(decision, float(truths[pair][index]), margin)
                )
                for pair in questions
            ]
            words_by_pair.setdefault(f"false_{decision}", []).append(
                max(false[0], false[1], false[2])
            )
    return {"words": {name: _average(np.array(values)) for name, values in words_by_pair.items()}}


def _ask(pair: str, basis: FloatArray, target: Target) -> PairQuestion:
    difference, error, degrees = basis.tolist()
    if math.isnan(difference):
        return PairQuestion(a=pair, b="a", basis=None, constant=0.0, n_units=0)
    verdict_basis = VerdictBasis(
        difference=difference,
        standard_error=error,
        degrees_of_freedom=None if math.isinf(degrees) else degrees,
        target=target,
        method="",
        variance=None,
    )
    return PairQuestion(a=pair, b="a", basis=verdict_basis, constant=None, n_units=0)


def _decide(questions: list[PairQuestion], terms: VerdictTerms) -> list[frozenset[Decision]]:
    verdicts = judge(questions, terms)
    return [frozenset({verdict.decision, *verdict.also}) for verdict in verdicts]


def _is_false(decision: Decision, truth: float, margin: float) -> bool:
    """Return whether a statement about a model and ``a`` is false, given their true difference."""
    slack = 1e-9 * margin
    return {
        Decision.BETTER: truth >= -slack,
        Decision.WORSE: truth <= slack,
        Decision.EQUIVALENT: abs(truth) >= margin - slack,
        Decision.NOT_WORSE: truth >= margin - slack,
        Decision.UNDECIDED: False,
    }[decision]


def _build_layout(cell: Cell) -> Layout:
    """Return a layout for sentences, which say only what a block is."""
    return build_block_layout(BlockKind.RANDOM, [cell.n // 2, cell.n - cell.n // 2])


def _judge_tests(records: Records) -> Iterator[Row]:
    """Yield the size and power of each test, of pairs and of all models."""
    tests = dict.fromkeys(tuple(name.split("/")[2:]) for name in records if name[:5] == "test/")
    for name, target in tests:
        p_values = {pair: records.get(f"test/{pair}/{name}/{target}") for pair in (*EQUAL, "d")}
        if any(values is None for values in p_values.values()):
            continue
        rejected = {
            pair: _mark_rejections(values)
            for pair, values in p_values.items()
            if values is not None
        }
        yield {
            "subject": "test",
            "name": name,
            "target": target,
            "size": _average(_average_pairs([rejected[pair] for pair in EQUAL])),
            "power": _average(rejected["d"]),
        }
    multiple = dict.fromkeys(
        tuple(name.split("/")[2:]) for name in records if name.startswith("multiple/abc/")
    )
    for name, target in multiple:
        three = records[f"multiple/abc/{name}/{target}"]
        four = records.get(f"multiple/abcd/{name}/{target}")
        yield {
            "subject": "multiple",
            "name": name,
            "target": target,
            "size": _average(_mark_rejections(three)),
            "power": None if four is None else _average(_mark_rejections(four)),
        }


def _average_pairs(values: list[FloatArray]) -> FloatArray:
    """Return the averages over the pairs that have a value, and NaN where none has."""
    known = np.sum(~np.isnan(values), axis=0)
    return np.where(known > 0, np.nansum(values, axis=0) / np.maximum(known, 1), np.nan)


def _mark_rejections(p_values: FloatArray) -> FloatArray:
    """Return 1 where the test rejects, and NaN where it was not computed."""
    return np.where(np.isnan(p_values), np.nan, p_values < ALPHA)


def _average(values: FloatArray) -> list[float]:
    """Return the average and its standard error, over the repetitions that have a value."""
    known = values[~np.isnan(values)]
    if len(known) < 2:
        return [round(float(known.mean()), 4) if len(known) else 0.0, 0.5]
    error = float(known.std(ddof=1)) / math.sqrt(len(known))
    return [round(float(known.mean()), 4), round(error, 4)]

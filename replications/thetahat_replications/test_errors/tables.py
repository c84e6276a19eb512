"""From records to rows: size, power and the error rates of words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import numpy as np

from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms
from thetahat.analyses.losses.identical_losses import IdenticalUnits
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import Decision
from thetahat.analyses.losses.verdict_basis import (
    FewDiscordantBasis,
    PairedRatesBasis,
    VerdictBasis,
)
from thetahat.analyses.losses.verdicts import judge
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.values.block_nouns import DEFAULT_NOUNS
from thetahat.values.layout import Layout, build_block_layout
from thetahat.values.paired_counts import PairedCounts
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
_COUNTS: Final = tuple(field.name for field in fields(PairedCounts))
_FIELDS: Final = ("difference", "error", "degrees", *_COUNTS)
"""What a record has of a verdict; the counts only where it rests on those of a pair of rates."""

Row = dict[str, Any]


def find_margin(records: Records) -> float:
    """Return the difference of ``d`` and ``a``: the average of the estimates."""
    return float(np.nanmean(records["mean/d"]))


def tabulate(records: Mapping[str, Records]) -> Iterator[Row]:
    """Yield the rows of every cell."""
    for cell, of_cell in find_cells(records):
        bases = find_bases(run_experiment(cell, make_seed(0, cell.name, 0)).table)
        by_target = {target: basis for (_, target), basis in bases.items()}
        place = {
            "design": cell.design.name,
            "loss": cell.loss,
            "n": cell.n,
            "trained": cell.trained,
        }
        for row in _judge_intervals(cell, of_cell, by_target):
            basis = by_target.get(Target(row["target"]))
            yield {**place, **row, "name": "" if basis is None else _name_basis(basis)}
        for row in _judge_tests(of_cell):
            yield {**place, **row}


def _name_basis(basis: VerdictBasis) -> str:
    """Return the interval and its variance, if it has one, as a result looks them up."""
    return basis.method if basis.variance is None else f"{basis.method}:{basis.variance}"


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


def _judge_intervals(
    cell: Cell, records: Records, by_target: Mapping[Target, VerdictBasis]
) -> Iterator[Row]:
    """Yield the size, power and words of the verdict on each target."""
    default = DEFAULT_TARGET[cell.design.block_kind]
    for target in Target:
        bases = {
            pair: list(read_bases(records, pair, target, by_target.get(target)))
            for pair in (*EQUAL, "d")
            if f"interval/{pair}/{target.value}/difference" in records
        }
        truths = {pair: find_truth(cell, records, pair, target) for pair in bases}
        if len(bases) < 3 or any(truth is None for truth in truths.values()):
            continue
        known = {pair: truth for pair, truth in truths.items() if truth is not None}
        missed = [_mark_missed(bases[pair], known[pair]) for pair in EQUAL]
        yield {
            "subject": "verdict",
            "target": target.value,
            "default": target is default,
            "size": _average(np.mean(missed, axis=0)),
            "power": _average(_mark_detected(bases["d"])),
            **_judge_words(cell, bases, known, find_margin(records)),
        }


def read_bases(
    records: Records, pair: str, target: Target, like: VerdictBasis | None
) -> Iterator[VerdictBasis | None]:
    """Yield what the verdict of each repetition rests on; None without an interval.

    ``like`` is the basis of another repetition, which has the interval of paired rates.
    """
    place = f"interval/{pair}/{target.value}"
    n = len(records[f"{place}/difference"])
    columns = {
        name: records.get(f"{place}/{name}", np.full(n, math.nan)).tolist() for name in _FIELDS
    }
    for index in range(n):
        now = {name: values[index] for name, values in columns.items()}
        if math.isnan(now["difference"]):
            yield None
            continue
        degrees = now["degrees"]
        common: dict[str, Any] = {
            "difference": now["difference"],
            "standard_error": now["error"],
            "degrees_of_freedom": None if math.isinf(degrees) else degrees,
            "target": target,
            "method": "",
            "variance": None,
        }
        if math.isnan(now["only_a"]):
            yield VerdictBasis(**common)
            continue
        of_pair: dict[str, Any] = {
            name: None if math.isinf(now[name]) else now[name] for name in _COUNTS
        }
        counts = PairedCounts(**of_pair)
        if not math.isinf(degrees):
            yield FewDiscordantBasis(**common, counts=counts)
        elif isinstance(like, PairedRatesBasis):
            yield PairedRatesBasis(**common, counts=counts, interval=like.interval)
        else:
            yield VerdictBasis(**common)


def _mark_missed(bases: Sequence[VerdictBasis | None], truths: FloatArray) -> FloatArray:
    """Return 1 where the interval of level 0.95 excludes the truth; 0 without an interval."""
    missed = []
    for basis, truth in zip(bases, truths.tolist(), strict=True):
        lower, upper = (-math.inf, math.inf) if basis is None else basis.compute_ends(ALPHA / 2)
        missed.append(float(truth < lower or truth > upper))
    return np.array(missed)


def _mark_detected(bases: Sequence[VerdictBasis | None]) -> FloatArray:
    """Return 1 where the difference is shown, in the right direction."""
    shown = (
        basis is not None and basis.difference > 0 and basis.compute_p_value() < ALPHA
        for basis in bases
    )
    return np.array([float(each) for each in shown])


def _judge_words(
    cell: Cell,
    bases: Mapping[str, Sequence[VerdictBasis | None]],
    truths: Mapping[str, FloatArray],
    margin: float,
) -> Row:
    """Return how often each word is said of equal models, and of one worse by the margin.

    The margin is the difference of the worse model, so ``equivalent`` and ``not_worse`` are just
    false of it. For the fitted models a word is false if it is false of their own risks.
    """
    layout = _build_layout(cell)
    terms = VerdictTerms(
        level=LEVEL, margin=margin, correction=DEFAULT_CORRECTION, power=0.8, layout=layout
    )
    n = len(bases["d"])
    words_by_pair: dict[str, list[float]] = {}
    for index in range(n):
        questions = {pair: ask(pair, bases[pair][index]) for pair in (*EQUAL, "d")}
        alone = {pair: decide([question], terms)[0] for pair, question in questions.items()}
        together = decide(list(questions.values()), terms)
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


def ask(pair: str, basis: VerdictBasis | None) -> PairQuestion:
    """Return the question whether a model differs from the first, as a result would ask it."""
    if basis is None:
        return PairQuestion(a=pair, b="a", basis=None, constant=0.0, n_units=0)
    if isinstance(basis, PairedRatesBasis) and basis.discordance == 0:
        counts, noun = basis.counts, DEFAULT_NOUNS[BlockKind.HOLDOUT]
        degrees = counts.degrees_of_freedom
        n = counts.n_instances if degrees is None else round(degrees) + 1
        identical = IdenticalUnits(n, noun, n, 1.0, basis.target)
        return PairQuestion(
            a=pair, b="a", basis=basis, constant=0.0, n_units=n, identical=identical
        )
    return PairQuestion(a=pair, b="a", basis=basis, constant=None, n_units=0)


def decide(questions: list[PairQuestion], terms: VerdictTerms) -> list[frozenset[Decision]]:
    """Return the words of the verdict of each question."""
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

"""Loss tables for the tests of a whole evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thetahat.analyses.losses import Choices, ChosenMethod, evaluate
from thetahat.analyses.losses.pairs import Pair, build_batches
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.losses.weighted_risks import Weighting, estimate_all_risks
from thetahat.intervals import INTERVALS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import to_json
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.values.words import choose_words
from thetahat.variances import VARIANCES

# Ones per block of nine. nb: 15 of 45, svm: 20 of 45; block by block the ones come first, so the
# differences nb - svm sum to -2, -2, 0, -2, 1 in the five blocks, and are -1, 0 or 1.
ONES = {"nb": (2, 3, 4, 3, 3), "svm": (4, 5, 4, 5, 2)}


def build_pairs(table: LossTable, control: str | None) -> list[Pair]:
    """The pairs of an evaluation, each with its difference."""
    return [pair for batch, _ in build_batches(table, control) for pair in batch]


def five_by_nine(kind: BlockKind) -> LossTable:
    """Two models over five blocks of nine; one block of 45 for a holdout."""
    block = np.zeros(45, dtype=np.intp) if kind is BlockKind.HOLDOUT else np.repeat(np.arange(5), 9)
    more: dict[str, Any] = {}
    if kind is BlockKind.SUBSAMPLES:
        more = {"instance": range(45), "n_train": 36.0}
    layout = build_layout(kind, block, **more)
    models = {
        name: np.concatenate([np.arange(9) < count for count in ones]).astype(np.float64)
        for name, ones in ONES.items()
    }
    return table_of(layout, models, loss_range=(0.0, 1.0))


def table_of(
    layout: Layout, models: dict[str, Any], *, higher_is_better: bool = False, **rest: Any
) -> LossTable:
    """Models by name over one layout, from (n,) losses."""
    return LossTable(
        layout,
        {
            name: BlockLosses(layout, values=np.asarray(values, dtype=np.float64))
            for name, values in models.items()
        },
        **rest,
    ).with_words(choose_words(layout.kind, higher_is_better=higher_is_better))


def scores_of(
    models: dict[str, Sequence[float]],
    *,
    repeats: int = 1,
    higher_is_better: bool = False,
    **rest: Any,
) -> LossTable:
    """Models by name from one number per split, 90 for training and 10 for test."""
    j = len(next(iter(models.values())))
    layout = build_score_layout(BlockKind.RANDOM, np.full(j, 90.0), np.full(j, 10.0), None, repeats)
    return LossTable(
        layout,
        {
            name: BlockLosses(layout, scores=np.asarray(values, dtype=np.float64))
            for name, values in models.items()
        },
        **rest,
    ).with_words(choose_words(layout.kind, higher_is_better=higher_is_better))


def normal_table(
    seed: int, kind: BlockKind = BlockKind.RANDOM, shifts: Sequence[float] = (0.0, 0.0), k: int = 5
) -> LossTable:
    """Independent normal losses, 12 in a block, about the models' shifts."""
    rng = np.random.default_rng(seed)
    block = (
        np.zeros(12 * k, dtype=np.intp)
        if kind is BlockKind.HOLDOUT
        else np.repeat(np.arange(k), 12)
    )
    layout = build_layout(kind, block)
    shared: FloatArray = rng.normal(size=12 * k)
    models = {f"m{i}": s + shared + 0.5 * rng.normal(size=12 * k) for i, s in enumerate(shifts)}
    return table_of(layout, models)


def named(family: str, *names: str) -> tuple[ChosenMethod[Any], ...]:
    """Choose by wire names, with default parameters."""
    registry: Any = {"variances": VARIANCES, "intervals": INTERVALS, "tests": PAIRED_TESTS}[family]
    return tuple(ChosenMethod(name, name, registry[name]()) for name in names)


def evaluated(*arguments: Any, **options: Any) -> dict[str, Any]:
    """Return the JSON value of what ``evaluate`` returns."""
    result: dict[str, Any] = to_json(evaluate(*arguments, **options))
    return result


def evaluated_with_weights(
    table: LossTable, choices: Choices, seed: int, *weighting: Any
) -> dict[str, Any]:
    """Return the JSON value of a result with weighted risks."""
    risks = estimate_all_risks(table, Weighting(*weighting), choices)
    return evaluated(table, choices, seed, Parts(risks=risks))


def result_of(table: LossTable, seed: int = 3, **choices: Any) -> dict[str, Any]:
    """Evaluate with these choices."""
    return evaluated(table, Choices(**choices), seed)


def verdict_of(table: LossTable, **choices: Any) -> dict[str, Any]:
    """Return the verdict of the first pair."""
    verdict: dict[str, Any] = result_of(table, **choices)["comparisons"][0]["verdict"]
    return verdict

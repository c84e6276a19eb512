"""The words of a result, and sentences that were wrong when words were replaced afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.architecture.sources import ROOT, parse_those_with, python_files
from thetahat.analyses.losses.result import Comparison, EvaluationResult
from thetahat.cautions import (
    COVERS_TOO_RARELY,
    FEW_BLOCKS,
    GENERATED_POPULATION,
    INFINITE_WEIGHT_VARIANCE,
    LARGE_TEST_PARTS,
    SCORES_AS_LOSSES,
    TRAINED_ON_RESAMPLES,
    UNEQUAL_BLOCKS,
    WEIGHT_COLUMN_NOT_USED,
    Caution,
)
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.types import BlockKind
from thetahat.values.words import Words, choose_words

SCHOOL = BlockNoun(singular="school", plural="schools")
WRITERS = (
    "thetahat/cautions.py",
    "thetahat/values/words.py",
    *(
        f"thetahat/analyses/losses/{name}.py"
        for name in ("verdict_text", "plans", "summary", "gate", "covariance", "not_applicable")
    ),
    "thetahat/analyses/learning_curve/saturation.py",
    "service/thetahat_service/kinds/selection/cautions.py",
)
"""Modules whose sentences go into results."""


def evaluate(
    kind: BlockKind, k: int, models: tuple[str, ...], *, step: float = 0.4, **options: Any
) -> EvaluationResult:
    """Evaluate models on k blocks of 9 instances, each by ``step`` worse than the one before."""
    rng = np.random.default_rng(20_261_126)
    blocks = rng.normal(size=(k, 1))
    losses = {
        name: (1 + step * i + 0.2 * blocks + rng.normal(size=(k, 9)) / 4).tolist()
        for i, name in enumerate(models)
    }
    return thetahat.evaluate(losses, blocks=kind, **options)


def find_cautions(value: Any, code: str) -> list[Caution]:
    """Return every caution of that code in a result."""
    return [part for part in walk(value) if isinstance(part, Caution) and part.code == code]


def walk(value: Any) -> Iterator[Any]:
    """Yield a value and everything in it."""
    yield value
    parts: Iterable[Any] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, tuple | list):
        parts = value
    elif is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    for part in parts:
        yield from walk(part)


@pytest.mark.parametrize(
    ("kind", "block", "blocks"),
    [
        (BlockKind.RANDOM, "fold", "folds"),
        (BlockKind.SOURCE, "source", "sources"),
        (BlockKind.HOLDOUT, "test set", "test sets"),
        (BlockKind.SUBSAMPLES, "split", "splits"),
    ],
)
def test_exact_words_without_a_noun_are_those_of_the_kind(
    kind: BlockKind, block: str, blocks: str
) -> None:
    losses = choose_words(kind)
    scores = choose_words(kind, higher_is_better=True)
    named = choose_words(kind, SCHOOL)

    assert losses == Words(block=block, blocks=blocks, kind=f"{kind.value} blocks")
    assert (losses.value, losses.values, losses.better, losses.best) == (
        "loss", "losses", "lower", "lowest",
    )  # fmt: skip
    assert (scores.value, scores.values, scores.better, scores.best) == (
        "score", "scores", "higher", "highest",
    )  # fmt: skip
    assert (losses.higher_is_better, scores.higher_is_better) == (False, True)
    # A holdout has one block, which needs no name: the word is for its clusters.
    of_cluster = kind is BlockKind.HOLDOUT
    assert named.get_unit("cluster" if of_cluster else "block") == SCHOOL
    assert named.value == "loss"
    assert named.kind == ("schools" if kind is BlockKind.SOURCE else losses.kind)
    assert named.get_unit("block") == (losses.noun if of_cluster else SCHOOL)
    assert named.get_unit("cluster").plural == ("schools" if of_cluster else "clusters")


def test_exact_a_caution_takes_the_words_where_it_is_about_this_result() -> None:
    caution = UNEQUAL_BLOCKS(choose_words(BlockKind.SOURCE, SCHOOL), smallest=4, largest=9)

    assert caution.message == (
        "The schools have 4 to 9 instances. The mean loss gives each school the same weight, the "
        "pooled mean each instance."
    )


def test_exact_a_fold_of_a_partition_is_no_week() -> None:
    result = evaluate(BlockKind.RANDOM, 5, ("a", "b"), unit="week")

    (caution, *_) = find_cautions(result, LARGE_TEST_PARTS.code)
    assert caution.message.startswith("Each fold tests on 20 % of the data.")
    assert caution.advice == "Use ten folds."
    assert any("rests on 5 weeks." in c.message for c in find_cautions(result, FEW_BLOCKS.code))
    assert COVERS_TOO_RARELY.advice.count("fold") == 2


def test_exact_the_schools_of_a_request_were_not_simulated() -> None:
    result = evaluate(
        BlockKind.SOURCE,
        8,
        ("a", "b"),
        unit="school",
        tests=["bayesian_sign", "bayesian_signed_rank", "bootstrap_difference"],
    )

    sentences = [
        caution.message
        for code in ("rejects_too_often", "rejects_far_too_often")
        for caution in find_cautions(result, code)
    ]
    assert sentences
    for sentence in sentences:
        assert "leave-one-source-out with eight sources" in sentence
        assert "school" not in sentence


@pytest.mark.parametrize(
    ("caution", "sentence"),
    [
        (TRAINED_ON_RESAMPLES(), 'Use "bootstrap_632" or k-fold cross-validation'),
        (
            GENERATED_POPULATION(role="source", generator="two_sources"),
            "The data come from two_sources, not from the source.",
        ),
        (WEIGHT_COLUMN_NOT_USED(name="kliep"), "The source has a column of weights"),
        (INFINITE_WEIGHT_VARIANCE(), "is at least twice the source's."),
    ],
)
def test_exact_general_terms_take_no_words(caution: Caution, sentence: str) -> None:
    # that such a caution is never given words is checked by test_cautions
    assert sentence in f"{caution.message} {caution.advice}"


def test_exact_values_taken_as_losses_are_not_called_scores() -> None:
    result = evaluate(BlockKind.SOURCE, 8, ("accuracy", "b"), unit="school")

    (caution,) = find_cautions(result, SCORES_AS_LOSSES.code)
    assert "which is how scores look. The values were taken as losses, of which lower ones are" in (
        caution.message
    )
    assert caution.advice.endswith('or "better": "lower" if they are losses.')


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_exact_names_of_models_are_no_words(better: str) -> None:
    names = ("new source", "block of the loss")
    result = evaluate(BlockKind.SOURCE, 8, names, unit="school", better=better)

    best, worst = names if better == "lower" else names[::-1]
    value, side = ("loss", "lowest") if better == "lower" else ("score", "highest")
    reason = result.comparisons[0].verdict.reason
    assert result.summary.sentences[0].startswith(f"{best} has the {side} mean {value} of 2 models")
    assert reason.startswith("For a new school, ")
    assert best in reason
    assert worst in reason
    assert f"mean {value} is" in reason


def test_exact_a_plan_counts_schools() -> None:
    result = evaluate(BlockKind.SOURCE, 3, ("a", "b"), step=0.1, unit="school")

    (pair,) = result.comparisons
    assert isinstance(pair, Comparison)
    plan = pair.verdict.plan
    assert plan is not None
    assert (plan.unit, "source" in plan.sentence) == ("sources", False)
    assert " schools (" in plan.sentence


@pytest.mark.parametrize("path", WRITERS)
def test_exact_no_sentence_is_written_by_a_regular_expression(path: str) -> None:
    tree = ast.parse((ROOT / path).read_text())
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert "re" not in imported


SHOWN_BY = ("thetahat", "service", "worker", "presentation")


def test_exact_nothing_rewrites_the_sentences_of_a_result() -> None:
    # Words are chosen before a sentence is written: a text is not searched for source or loss.
    replaced = [
        f"{path}:{node.lineno}"
        for path, tree in parse_those_with(r"\.(replace|sub)\b", python_files(*SHOWN_BY))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"replace", "sub"}
        and any(
            isinstance(part, ast.Constant)
            and part.value in {"source", "sources", "fold", "block", "loss", "losses"}
            for part in node.args[:1]
        )
    ]

    assert replaced == []

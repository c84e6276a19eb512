"""Texts cut into words once, beside a vectoriser that is learnt anew in each split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.cross_validation.test_prepared import (
    TEXTS,
    N,
    X,
    said_by_fits,
    splits_of,
    table,
)
from tests.thetahat.pipelines.tables import built
from thetahat.cross_validation import build_rows, run_splits
from thetahat.cross_validation.stateless_steps import apply_stateless_steps
from thetahat.errors import LearnerFailed
from thetahat.losses.zero_one import ZeroOne
from thetahat.pipelines import Pipeline
from thetahat.pipelines.vocabulary import VocabularyStep
from thetahat.schemes import SCHEMES

RARE = [f"{text} word{at % 17} {'Zebra' * (at == 3)}" for at, text in enumerate(TEXTS)]
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("CountVectorizer", {}),
    ("CountVectorizer", {"binary": True, "ngram_range": [1, 2]}),
    ("CountVectorizer", {"min_df": 3, "max_df": 0.7}),
    ("CountVectorizer", {"min_df": 0.05, "max_df": 40, "analyzer": "char", "lowercase": False}),
    ("TfidfVectorizer", {}),
    ("TfidfVectorizer", {"min_df": 2, "sublinear_tf": True, "norm": "l1", "smooth_idf": False}),
    ("TfidfVectorizer", {"use_idf": False, "binary": True, "stop_words": "english"}),
]


def pipeline_of(name: str, params: dict[str, Any], columns: list[str] | None = None) -> Any:
    step: dict[str, Any] = {"name": name, "params": params}
    if columns is not None:
        step["columns"] = columns
    return built({"name": "multinomial_naive_bayes", "prepare": [step]})


def is_apart(learner: Any) -> bool:
    """Whether a pipeline's first step chooses among words that are counted already."""
    return isinstance(learner, Pipeline) and any(
        isinstance(getattr(step, "step", None), VocabularyStep) for step in learner.steps
    )


@pytest.mark.parametrize(("name", "params"), STEPS)
@pytest.mark.parametrize("scheme", ["k_fold", "bootstrap"])
def test_naive_the_features_are_those_of_the_step(
    name: str, params: dict[str, Any], scheme: str
) -> None:
    data = table({"t": RARE})
    whole = pipeline_of(name, params)
    rest, counted = apply_stateless_steps(whole, data)
    assert is_apart(rest)
    options = {"k_fold": {"n_folds": 4}, "bootstrap": {"n_resamples": 3}}[scheme]

    for split in SCHEMES[scheme](**options).splits(build_rows(data), 1):
        wanted, ours = (
            parse_features(learner, source, split)
            for learner, source in ((whole, data), (rest, counted))
        )
        assert [*ours.names] == [*wanted.names]
        assert_allclose(ours.matrix.toarray(), wanted.matrix.toarray(), rtol=1e-14)
        if name == "CountVectorizer":
            assert_array_equal(ours.matrix.toarray(), wanted.matrix.toarray())


def parse_features(learner: Any, data: Any, split: Any) -> Any:
    """What the first step makes of a test part."""
    rows = data.features.rows
    learn: dict[str, Any] = {"task": "classification", "rng": np.random.default_rng(0)}
    fitted_step, _ = learner.steps[0].fit_transform(rows(split.train), data.y[split.train], **learn)
    (group,) = fitted_step.transform(rows(split.test)).wide
    return group


@pytest.mark.outside("scikit-learn's pipelines of vectorisers and MultinomialNB, run here")
@pytest.mark.about("learners/multinomial_naive_bayes")
@pytest.mark.parametrize(("name", "params"), STEPS)
def test_against_sklearn_vectorisers_in_cross_validation(name: str, params: dict[str, Any]) -> None:
    from sklearn.feature_extraction import text
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    data = table({"t": RARE})
    splits = splits_of(data)
    cv = [(split.train, split.test) for split in splits]
    keywords = {key: tuple(v) if isinstance(v, list) else v for key, v in params.items()}
    theirs = make_pipeline(getattr(text, name)(**keywords), MultinomialNB())
    wanted = cross_val_predict(theirs, RARE, data.y, cv=cv, method="predict_proba")

    done = run_splits(
        "m", pipeline_of(name, params), data, splits, ZeroOne(), 0, keep_predictions=True
    )

    for outcome in done:
        assert outcome.probabilities is not None
        assert_allclose(outcome.probabilities, wanted[outcome.test], rtol=1e-9)


def test_naive_behind_and_before_other_steps() -> None:
    data = table({"a": X[:, 0], "b": X[:, 1], "t": RARE, "u": TEXTS})
    prepare = [
        {"name": "standardise", "columns": ["a"]},
        {"name": "CountVectorizer", "columns": ["t"]},
        {"name": "TfidfVectorizer", "columns": ["u"]},
        "MaxAbsScaler",
    ]
    pipeline = built({"name": "KNeighborsClassifier", "prepare": prepare})
    rest, counted = apply_stateless_steps(pipeline, data)

    assert isinstance(rest, Pipeline)
    kinds = [type(getattr(step, "step", None)).__name__ for step in rest.steps]
    assert kinds == ["Standardise", "VocabularyStep", "VocabularyStep", "ScikitStep"]
    for split in splits_of(data, 3):
        wanted, ours = said_by_fits(pipeline, data, split), said_by_fits(rest, counted, split)
        assert_allclose(ours.probabilities, wanted.probabilities, rtol=1e-9)


@pytest.mark.parametrize(
    ("before", "step"),
    [
        ([], {"name": "CountVectorizer", "params": {"max_features": 5}, "columns": ["t"]}),
        (["standardise"], {"name": "CountVectorizer", "columns": ["t"]}),
        (
            [
                {
                    "name": "impute",
                    "params": {"strategy": "most_frequent"},
                    "columns": ["t"],
                }
            ],
            {"name": "CountVectorizer", "columns": ["t"]},
        ),
        ([{"groups": [{}]}, "standardise"], {"name": "CountVectorizer"}),
        (
            [{"groups": [{"columns": ["a"], "prepare": ["standardise"]}]}],
            {"name": "CountVectorizer", "columns": ["t"]},
        ),
    ],
)
def test_limit_steps_that_are_not_applied_ahead(before: list[Any], step: Any) -> None:
    data = table({"a": X[:, 0], "t": RARE})
    rest, _ = apply_stateless_steps(built({"name": "majority", "prepare": [*before, step]}), data)

    assert not is_apart(rest)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"min_df": 48}, "After pruning, no terms remain"),
        ({"min_df": 30, "max_df": 2}, "max_df corresponds to < documents than min_df"),
    ],
)
def test_against_sklearn_refusals_have_the_same_words(params: dict[str, Any], words: str) -> None:
    data = table({"t": RARE})
    pipeline = pipeline_of("CountVectorizer", params)
    split = splits_of(data)[0]

    with pytest.raises(LearnerFailed, match="CountVectorizer of column 't': " + words):
        run_splits("m", pipeline, data, [split], ZeroOne(), 0)
    with pytest.raises(LearnerFailed, match="CountVectorizer of column 't': " + words):
        said_by_fits(pipeline, data, split)


def test_degenerate_a_training_part_without_words() -> None:
    data = table({"t": ["", *[""] * (N - 2), "word"]})
    pipeline = pipeline_of("CountVectorizer", {}, ["t"])
    split = next(split for split in splits_of(data) if N - 1 in split.test)

    with pytest.raises(LearnerFailed, match="CountVectorizer of column 't': empty vocabulary"):
        run_splits("m", pipeline, data, [split], ZeroOne(), 0)

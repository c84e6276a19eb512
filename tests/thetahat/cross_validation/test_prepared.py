"""Steps that learn nothing, applied to all rows once, beside the same steps in each split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.pipelines.tables import built
from thetahat.cross_validation import build_rows, is_fast, run_splits
from thetahat.cross_validation.learner_groups import group_by_parameter
from thetahat.cross_validation.parameter_paths import run_path
from thetahat.cross_validation.stateless_steps import apply_stateless_steps
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.losses.zero_one import ZeroOne
from thetahat.pipelines import Pipeline, build_step, read_step_spec
from thetahat.pipelines.allowed_classes import TRANSFORMERS, VECTORISERS
from thetahat.pipelines.column_step import ColumnStep
from thetahat.pipelines.stateless_classes import STATELESS, is_stateless
from thetahat.pipelines.steps import STEPS
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Split
from thetahat.tables.data import Data, build_data
from thetahat.values.json_values import JsonValue

RNG = np.random.default_rng(20_261_250)
N = 60
Y = RNG.integers(0, 2, N)
WORDS = np.array(["bad", "book", "dull", "fine", "good", "great", "long", "story", "the", "was"])
TEXTS = [" ".join(WORDS[np.unique(RNG.integers(0, 8, 6) + 2 * label)]) for label in Y]
SIZES = [str(size) for size in RNG.choice(["small", "medium", "large"], N)]
X = RNG.gamma(2.0, size=(N, 2)) + Y[:, None]
WITH_GAPS = np.where(np.arange(N) % 7 == 0, np.nan, X[:, 0])

STEPS_THAT_STATELESS: list[tuple[Any, dict[str, Any]]] = [
    ({"name": "Binarizer", "params": {"threshold": 1.5}}, {"a": X[:, 0], "b": X[:, 1]}),
    ("Normalizer", {"a": X[:, 0], "b": X[:, 1]}),
    ({"name": "PolynomialFeatures", "params": {"degree": 3}}, {"a": X[:, 0], "b": X[:, 1]}),
    ({"name": "HashingVectorizer", "params": {"n_features": 64}}, {"t": TEXTS}),
    (
        {"name": "OneHotEncoder", "params": {"categories": [["large", "medium", "small"]]}},
        {"s": SIZES},
    ),
    (
        {"name": "OrdinalEncoder", "params": {"categories": [["small", "medium", "large"]]}},
        {"s": SIZES},
    ),
    (
        {
            "name": "SimpleImputer",
            "params": {"strategy": "constant", "fill_value": -1, "keep_empty_features": True},
        },
        {"a": WITH_GAPS, "b": X[:, 1]},
    ),
    (
        {"name": "TfidfTransformer", "params": {"use_idf": False, "sublinear_tf": True}},
        {"a": X[:, 0], "b": X[:, 1]},
    ),
    ({"name": "impute", "params": {"strategy": "constant", "fill_value": 2}}, {"a": WITH_GAPS}),
]
NAMES = [wire if isinstance(wire, str) else wire["name"] for wire, _ in STEPS_THAT_STATELESS]


def table(columns: dict[str, Any]) -> Data:
    source = [f"s{i}" for i in np.arange(N) // 15]
    return build_data(columns, Y.tolist(), "classification", source=source)


def splits_of(data: Data, n_folds: int = 5) -> list[Split]:
    scheme: Any = SCHEMES["k_fold"]
    return list(scheme(n_folds=n_folds).splits(build_rows(data), 3))


def said_by_fits(pipeline: Any, data: Data, split: Split) -> Any:
    """The plain path, each step learnt in the training part."""
    rows = data.features.rows
    made = pipeline.fit(
        rows(split.train),
        data.y[split.train],
        weights=None,
        rng=np.random.default_rng(0),
        n_classes=data.n_classes,
    )
    return made.predict(rows(split.test))


def test_property_every_step_that_learns_nothing_is_tried() -> None:
    assert set(STATELESS) | {"impute"} == set(NAMES)
    assert set(STATELESS) <= {*TRANSFORMERS, *VECTORISERS}


def test_exact_steps_that_learn_from_the_training_rows() -> None:
    by_default = {name for name in {*TRANSFORMERS, *VECTORISERS} if is_stateless(name, {})}
    assert by_default == {"Binarizer", "HashingVectorizer", "Normalizer", "PolynomialFeatures"}
    own = {name for name in STEPS if getattr(STEPS[name](), "is_stateless", False)}
    assert own == set()
    params = {"categories": [["a", "b"]]}
    assert not is_stateless("OneHotEncoder", {**params, "min_frequency": 2})
    assert not is_stateless("OrdinalEncoder", {**params, "max_categories": 2})
    constant: dict[str, JsonValue] = {"strategy": "constant", "keep_empty_features": True}
    assert not is_stateless("SimpleImputer", {**constant, "add_indicator": True})
    assert not is_stateless("SimpleImputer", {"strategy": "constant"})


@pytest.mark.parametrize(("wire", "columns"), STEPS_THAT_STATELESS, ids=NAMES)
def test_naive_what_all_rows_become_is_what_a_test_part_becomes(
    wire: Any, columns: dict[str, Any]
) -> None:
    data = table(columns)
    step = ColumnStep(build_step(read_step_spec(wire), "classification"), tuple(columns), ())
    learn: dict[str, Any] = {"task": "classification", "rng": np.random.default_rng(1)}
    _, of_all = step.fit_transform(data.features, data.y, **learn)

    for split in splits_of(data):
        fitted_step, _ = step.fit_transform(
            data.features.rows(split.train), data.y[split.train], **learn
        )
        made = fitted_step.transform(data.features.rows(split.test))
        wanted = of_all.rows(split.test)
        assert made.names == wanted.names
        assert_array_equal(made.expand().matrix(), wanted.expand().matrix())


@pytest.mark.parametrize(("wire", "columns"), STEPS_THAT_STATELESS, ids=NAMES)
def test_naive_pipelines_say_what_their_fits_say(wire: Any, columns: dict[str, Any]) -> None:
    data = table(columns)
    step = {"name": wire} if isinstance(wire, str) else wire
    pipeline = built(
        {"name": "bernoulli_naive_bayes", "prepare": [{**step, "columns": [*columns]}]}
    )
    splits = splits_of(data)
    done = run_splits("m", pipeline, data, splits, ZeroOne(), 0, keep_predictions=True)

    for split, outcome in zip(splits, done, strict=True):
        wanted = said_by_fits(pipeline, data, split)
        assert_array_equal(outcome.output, wanted.output)
        assert outcome.probabilities is not None
        assert_allclose(outcome.probabilities, wanted.probabilities, rtol=1e-9, atol=1e-12)


@pytest.mark.outside("scikit-learn's pipeline of HashingVectorizer and MultinomialNB, run here")
@pytest.mark.about("learners/multinomial_naive_bayes")
def test_against_sklearn_hashed_texts() -> None:
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    params: dict[str, Any] = {"n_features": 32, "alternate_sign": False, "norm": None}
    data = table({"t": TEXTS})
    splits = splits_of(data)
    cv = [(split.train, split.test) for split in splits]
    theirs = make_pipeline(HashingVectorizer(**params), MultinomialNB())
    wanted = cross_val_predict(theirs, TEXTS, Y, cv=cv, method="predict_proba")
    ours = built(
        {
            "name": "multinomial_naive_bayes",
            "prepare": [{"name": "HashingVectorizer", "params": params, "columns": ["t"]}],
        }
    )

    for outcome in run_splits("m", ours, data, splits, ZeroOne(), 0, keep_predictions=True):
        assert outcome.probabilities is not None
        assert_allclose(outcome.probabilities, wanted[outcome.test], rtol=1e-10)


def test_naive_a_step_that_learns_stays_in_the_splits() -> None:
    data = table({"a": X[:, 0], "b": X[:, 1]})
    pipeline = built(
        {
            "name": "gaussian_naive_bayes",
            "prepare": [{"name": "PolynomialFeatures"}, "standardise", "Normalizer"],
        }
    )
    assert isinstance(pipeline, Pipeline)
    assert not is_fast(pipeline)

    rest, made = apply_stateless_steps(pipeline, data)

    assert isinstance(rest, Pipeline)
    assert [step.step.info.name for step in rest.steps] == ["standardise", "Normalizer"]
    assert made.features.width == 6
    splits = splits_of(data)
    done = run_splits("m", pipeline, data, splits, ZeroOne(), 0, keep_predictions=True)
    for split, outcome in zip(splits, done, strict=True):
        assert outcome.fit_reason == "a preparation step learns from each training part"
        wanted = said_by_fits(pipeline, data, split)
        assert_allclose(outcome.probabilities, wanted.probabilities, rtol=1e-12)


def test_exact_the_same_steps_give_the_same_data_again() -> None:
    data = table({"a": X[:, 0], "b": X[:, 1]})
    wire = {"name": "gaussian_naive_bayes", "prepare": ["Normalizer"]}
    first, again = (
        apply_stateless_steps(built(wire), data),
        apply_stateless_steps(built(wire), data),
    )
    other = apply_stateless_steps(
        built({**wire, "prepare": [{"name": "Normalizer", "params": {"norm": "l1"}}]}), data
    )

    assert first[0] == again[0] == built("gaussian_naive_bayes")
    assert first[1] is again[1]
    assert other[1] is not first[1]
    plain = built("gaussian_naive_bayes")
    assert apply_stateless_steps(plain, data) == (plain, data)


@pytest.mark.parametrize(
    ("step", "columns"),
    [
        ("Binarizer", {"a": WITH_GAPS}),  # refused: a value is missing
        ("HashingVectorizer", {"t": ["", *TEXTS[1:-1], None]}),  # refused: a text is missing
    ],
)
def test_invalid_values_that_a_step_refuses_are_reported_in_the_splits(
    step: Any, columns: dict[str, Any]
) -> None:
    data = table(columns)
    pipeline = built(
        {
            "name": "gaussian_naive_bayes",
            "prepare": [
                {**({"name": step} if isinstance(step, str) else step), "columns": [*columns]}
            ],
        }
    )

    assert apply_stateless_steps(pipeline, data) == (pipeline, data)


def test_degenerate_a_step_that_warns_stays_in_the_splits() -> None:
    data = table({"t": TEXTS})
    params = {"stop_words": ["don't"], "n_features": 16, "alternate_sign": False}
    hashed = {"name": "HashingVectorizer", "params": params, "columns": ["t"]}
    pipeline = built({"name": "multinomial_naive_bayes", "prepare": [hashed]})

    assert apply_stateless_steps(pipeline, data) == (pipeline, data)
    (outcome, *_) = run_splits("m", pipeline, data, splits_of(data), ZeroOne(), 0)
    assert any("stop_words" in caution.message for caution in outcome.cautions)


def test_exact_learners_behind_the_same_steps_are_a_path() -> None:
    params = {"n_features": 32, "alternate_sign": False, "norm": None}
    step = {"name": "HashingVectorizer", "params": params, "columns": ["t"]}
    learners = {
        f"k{k}": built({"name": "nearest_neighbours", "params": {"k": k}, "prepare": [step]})
        for k in (1, 3)
    }
    learners["other"] = built({"name": "nearest_neighbours", "prepare": ["Normalizer"]})
    together, alone = group_by_parameter(learners)
    assert (together.names, together.values) == (("k1", "k3"), (1, 3))
    assert alone.names == ("other",)

    for texts in (TEXTS, [*TEXTS[:-1], None]):  # a missing text is refused in the splits
        data = table({"t": texts})
        splits = splits_of(data)
        done = run_path(together, data, splits, ZeroOne(), 0, keep_predictions=True)
        for name in together.names:
            if texts is not TEXTS:
                assert isinstance(done[name], InvalidParameter)
                continue
            wanted = run_splits(
                name, learners[name], data, splits, ZeroOne(), 0, keep_predictions=True
            )
            outcomes = done[name]
            assert not isinstance(outcomes, EvaluationError)
            for outcome, other in zip(outcomes, wanted, strict=True):
                assert outcome.fit_reason is None
                assert_array_equal(outcome.probabilities, other.probabilities)

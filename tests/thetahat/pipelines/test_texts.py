"""Texts and sparse columns in pipelines, beside scikit-learn's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from tests.thetahat.pipelines.tables import built, fit_predict, reached, strings
from thetahat.errors import InvalidParameter, LearnerFailed, UnsupportedCombination
from thetahat.pipelines import build_step, read_step_spec
from thetahat.tables.features import Features
from thetahat.tables.sparse import NumberedNames, SparseColumns, build_sparse_columns

RNG = np.random.default_rng(20_261_132)
WORDS = np.array(
    [
        "bad",
        "book",
        "boring",
        "exciting",
        "fine",
        "good",
        "great",
        "long",
        "short",
        "story",
        "the",
        "was",
    ]
)
Y = RNG.integers(0, 2, 60)
TEXTS = np.array(
    [" ".join(WORDS[np.unique(RNG.integers(0, 9, 7) + 3 * label)]) for label in Y], dtype=object
)
PLACE = np.array([("oslo", "rome", "lima")[i] for i in RNG.integers(0, 3, 60)], dtype=object)
AGE = RNG.normal(40, 10, 60)
TABLE = Features(("age", "place", "text"), (AGE, PLACE, TEXTS))
ROWS = np.column_stack([AGE.astype(object), PLACE, TEXTS])
COUNTS = csr_array(CountVectorizer().fit_transform(TEXTS), dtype=np.float64)
SPARSE = Features(
    ("age",),
    (np.abs(AGE),),
    wide=(build_sparse_columns("X", COUNTS, NumberedNames("X", COUNTS.shape[1])),),
)


TEXT_PIPELINES: list[tuple[Any, Any]] = [
    (
        {"name": "MultinomialNB", "prepare": ["CountVectorizer"]},
        make_pipeline(CountVectorizer(), MultinomialNB()),
    ),
    (
        {"name": "multinomial_naive_bayes", "prepare": ["CountVectorizer"]},
        make_pipeline(CountVectorizer(), MultinomialNB()),
    ),
    (
        {
            "name": "LogisticRegression",
            "prepare": [{"name": "TfidfVectorizer", "params": {"ngram_range": [1, 2]}}],
        },
        make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression()),
    ),
    (
        {
            "name": "LogisticRegression",
            "prepare": [{"name": "HashingVectorizer", "params": {"n_features": 64}}],
        },
        make_pipeline(HashingVectorizer(n_features=64), LogisticRegression()),
    ),
    (
        {"name": "LogisticRegression", "prepare": ["CountVectorizer", "TfidfTransformer"]},
        make_pipeline(CountVectorizer(), TfidfTransformer(), LogisticRegression()),
    ),
    (
        {
            "name": "LogisticRegression",
            "prepare": [
                {"name": "CountVectorizer", "params": {"binary": True}},
                {"name": "SelectKBest", "params": {"k": 5, "score_func": "chi2"}},
                "MaxAbsScaler",
            ],
        },
        make_pipeline(
            CountVectorizer(binary=True),
            SelectKBest(chi2, k=5),
            MaxAbsScaler(),
            LogisticRegression(),
        ),
    ),
    (
        {
            "name": "KNeighborsClassifier",
            "prepare": [
                "TfidfVectorizer",
                {"name": "TruncatedSVD", "params": {"n_components": 3, "random_state": 1}},
            ],
        },
        make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=1), KNeighborsClassifier()),
    ),
]


@pytest.mark.parametrize(("wire", "theirs"), TEXT_PIPELINES)
def test_against_sklearn_texts(wire: Any, theirs: Any) -> None:
    features = Features(("text",), (TEXTS,))
    for train, test in KFold(4).split(TEXTS):
        predictions = fit_predict(built(wire), features, Y, train, test)
        theirs.fit(TEXTS[train], Y[train])

        assert_array_equal(predictions.output, theirs.predict(TEXTS[test]))
        assert predictions.probabilities is not None
        assert_allclose(predictions.probabilities, theirs.predict_proba(TEXTS[test]), rtol=1e-9)


def test_against_sklearn_each_group_of_columns_has_its_own_steps() -> None:
    wire: dict[str, Any] = {
        "name": "LogisticRegression",
        "params": {"tol": 1e-8},
        "prepare": [
            {"name": "standardise", "columns": ["age"]},
            {"name": "one_hot", "columns": ["place"]},
            {"name": "TfidfVectorizer", "columns": ["text"]},
        ],
    }
    groups = ColumnTransformer(
        [
            ("age", StandardScaler(), [0]),
            ("place", OneHotEncoder(), [1]),
            ("text", TfidfVectorizer(), 2),
        ]
    )
    theirs = make_pipeline(groups, LogisticRegression(tol=1e-8))
    for train, test in KFold(4).split(TEXTS):
        predictions = fit_predict(built(wire), TABLE, Y, train, test)
        theirs.fit(ROWS[train], Y[train])

        assert predictions.probabilities is not None
        # the columns stand in another order, so the optimiser takes other last steps
        assert_allclose(predictions.probabilities, theirs.predict_proba(ROWS[test]), rtol=1e-5)


@pytest.mark.parametrize(
    "name", ["LogisticRegression", "MultinomialNB", "DecisionTreeClassifier", "LinearSVC"]
)
def test_exact_sparse_columns_say_what_dense_ones_say(name: str) -> None:
    wire = {"name": name, "params": {"random_state": 0} if name != "MultinomialNB" else {}}
    train, test = np.arange(45), np.arange(45, 60)
    predictions = fit_predict(built(wire), SPARSE, Y, train, test)
    wanted = fit_predict(built(wire), SPARSE.expand(), Y, train, test)

    assert_array_equal(predictions.output, wanted.output)


def test_exact_a_learner_that_takes_no_sparse_matrix_is_given_a_dense_one() -> None:
    train, test = np.arange(45), np.arange(45, 60)
    for name in ("gaussian_naive_bayes", "LinearDiscriminantAnalysis", "GaussianNB"):
        params = {"variance_smoothing": 0.1} if name == "gaussian_naive_bayes" else {}
        wire = {"name": name, "params": params}
        predictions = fit_predict(built(wire), SPARSE, Y, train, test)
        wanted = fit_predict(built(wire), SPARSE.expand(), Y, train, test)

        assert_array_equal(predictions.output, wanted.output)


def test_exact_our_own_steps_take_sparse_columns_one_by_one() -> None:
    made = reached(["standardise"], SPARSE)

    assert made.wide == ()
    assert made.names == ("age", *(f"X{j}" for j in range(COUNTS.shape[1])))
    assert_allclose(made.columns[1].mean(), 0, atol=1e-12)


def test_exact_what_is_made_of_texts_is_named_after_column_and_word() -> None:
    part = TABLE.rows(np.arange(2)).with_columns(("text", "note"), (strings("a bb cc", "bb"),) * 2)
    step = build_step(read_step_spec("CountVectorizer"), "classification")
    fitted_step, made = step.fit_transform(part, Y[:2], task="classification", rng=RNG)

    assert [group.name for group in made.wide] == ["text", "note"]
    assert list(made.wide[1].names) == ["note:bb", "note:cc"]
    assert_array_equal(made.wide[0].dense(), [[1, 1], [1, 0]])
    assert_array_equal(fitted_step.transform(part).wide[0].dense(), made.wide[0].dense())
    hashed = build_step(read_step_spec("HashingVectorizer"), "regression")
    _, group = hashed.fit_transform(part, Y[:2], task="regression", rng=RNG)
    assert group.wide[0].names[7] == "text:7"
    assert group.width == 2 * 2**20


def test_exact_words_are_learnt_in_the_training_part_alone() -> None:
    features = Features(("text",), (strings("aa bb", "bb cc", "dd dd"),))
    step = build_step(read_step_spec("CountVectorizer"), "classification")
    fitted_step, _ = step.fit_transform(
        features.rows(np.arange(2)), Y[:2], task="classification", rng=RNG
    )

    seen = fitted_step.transform(features.rows(np.array([2]))).wide[0]
    assert list(seen.names) == ["text:aa", "text:bb", "text:cc"]
    assert_array_equal(seen.dense(), [[0, 0, 0]])


def test_exact_a_group_keeps_its_place_among_the_columns() -> None:
    made = reached([{"name": "CountVectorizer", "columns": ["text"]}, "one_hot"], TABLE)

    assert made.names == ("age", "place=lima", "place=oslo", "place=rome")
    assert [group.name for group in made.wide] == ["text"]
    assert made.column_name(4).startswith("text:")
    assert made.width == 4 + len(WORDS)


def test_exact_a_step_takes_a_group_by_its_name() -> None:
    steps = [
        {"name": "CountVectorizer", "columns": ["text"]},
        {"name": "Binarizer", "columns": ["text"]},
        {"name": "standardise", "columns": ["age"]},
        "one_hot",
    ]
    made = reached(steps, TABLE)

    assert isinstance(made.wide[0], SparseColumns)
    assert set(made.wide[0].matrix.data) == {1.0}
    assert_allclose(made.columns[0].std(), 1)


def test_exact_a_missing_text_can_be_imputed() -> None:
    features = Features(("text",), (strings("aa bb", None, "bb"),))
    fill = {"name": "impute", "params": {"strategy": "constant", "fill_value": ""}}

    made = reached([fill, "CountVectorizer"], features)

    assert_array_equal(made.wide[0].dense(), [[1, 1], [0, 0], [0, 1]])


def test_invalid_a_missing_text_is_named() -> None:
    features = Features(("text",), (strings("aa bb", "cc", None, "bb"),))
    with pytest.raises(InvalidParameter, match="Column 'text' has no text in row 2") as caught:
        fit_predict(
            built({"name": "MultinomialNB", "prepare": ["CountVectorizer"]}),
            features,
            np.array([0, 1, 0, 1]),
            np.array([1, 2, 3]),
            np.array([0]),
        )
    assert caught.value.loc == ("columns", "features", "text", 2)


def test_invalid_numbers_are_no_texts() -> None:
    with pytest.raises(InvalidParameter, match="Column 'age' holds numbers"):
        reached([{"name": "TfidfVectorizer", "columns": ["age"]}, "one_hot"], TABLE)


def test_invalid_texts_without_a_word() -> None:
    with pytest.raises(LearnerFailed, match="CountVectorizer of column 'text': empty vocabulary"):
        reached(["CountVectorizer"], Features(("text",), (strings("", " "),)))


def test_invalid_texts_that_reach_a_learner() -> None:
    with pytest.raises(
        InvalidParameter, match=r"'text' is not numeric\. Add a step for it .*TfidfVect"
    ):
        fit_predict(
            built("MultinomialNB"), Features(("text",), (TEXTS,)), Y, np.arange(9), np.arange(9)
        )


def test_invalid_zeros_written_out_would_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thetahat.tables.features.MAX_DENSE_CELLS", COUNTS.shape[1] * 45 - 1)
    train, test = np.arange(45), np.arange(45, 60)
    with pytest.raises(
        UnsupportedCombination, match=r"45 rows x 12 sparse columns would be 540 cells"
    ):
        fit_predict(built("GaussianNB"), SPARSE, Y, train, test)
    fit_predict(built("MultinomialNB"), SPARSE, Y, train, test)


def test_invalid_more_words_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thetahat.pipelines.text_step.MAX_SPARSE_COLUMNS", len(WORDS) - 1)
    with pytest.raises(
        InvalidParameter, match=r"CountVectorizer would produce 12 columns\. At most 11"
    ):
        reached([{"name": "CountVectorizer", "columns": ["text"]}, "one_hot"], TABLE)


def test_exact_a_regression_takes_sparse_columns() -> None:
    y = AGE + COUNTS @ np.arange(COUNTS.shape[1])
    train, test = np.arange(45), np.arange(45, 60)
    wire = {"name": "Ridge", "params": {"alpha": 0.1, "solver": "sparse_cg", "tol": 1e-10}}
    predictions = fit_predict(built(wire, "regression"), SPARSE, y, train, test, n_classes=0)
    X = SPARSE.matrix()

    assert_allclose(
        predictions.output, Ridge(0.1).fit(X[train], y[train]).predict(X[test]), rtol=1e-7
    )

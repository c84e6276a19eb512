"""Groups of columns prepared side by side, nested, beside scikit-learn's ColumnTransformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.pipelines.tables import built, fit_predict
from thetahat.errors import InvalidParameter
from thetahat.pipelines import Pipeline, read_learner_spec
from thetahat.pipelines.spec import ColumnGroupSpec, ColumnGroupsSpec, StepSpec
from thetahat.tables.features import Features

RNG = np.random.default_rng(20_261_260)
N = 80
TRAIN, TEST = np.arange(0, 60), np.arange(60, 80)
Y = RNG.integers(0, 2, N)
WORDS = np.array(["bad", "book", "dull", "fine", "good", "great", "long", "story"])
TEXT = np.array(
    [" ".join(WORDS[np.unique(RNG.integers(0, 6, 6) + 2 * label)]) for label in Y], dtype=object
)
CITY = RNG.choice(["lima", "oslo", "rome"], N).astype(object)
AGE, WAGE = RNG.normal(40, 10, N) + 3 * Y, RNG.gamma(2.0, size=N)
AGE[::9] = np.nan
TABLE = Features(("age", "wage", "city", "text"), (AGE, WAGE, CITY, TEXT))

NUMBERS: dict[str, Any] = {
    "columns": ["age", "wage"],
    "prepare": [
        {"name": "impute", "params": {"strategy": "median"}},
        {
            "groups": [
                {"prepare": ["standardise"]},
                {"columns": ["wage"], "prepare": ["SplineTransformer", "pca"]},
            ]
        },
    ],
}
TEXTS: dict[str, Any] = {
    "columns": ["text"],
    "prepare": [
        "TfidfVectorizer",
        {"name": "TruncatedSVD", "params": {"n_components": 3, "random_state": 0}},
    ],
}
NESTED: dict[str, Any] = {
    "name": "LogisticRegression",
    "params": {"tol": 1e-10},
    "prepare": [
        {
            "groups": [NUMBERS, {"columns": ["city"], "prepare": ["one_hot"]}, TEXTS],
            "rest": "drop",
        },
        "MaxAbsScaler",
    ],
}


def theirs() -> Any:
    """What NESTED is, of scikit-learn's parts."""
    from sklearn.compose import ColumnTransformer
    from sklearn.decomposition import PCA, TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import (
        FunctionTransformer,
        MaxAbsScaler,
        OneHotEncoder,
        SplineTransformer,
        StandardScaler,
    )

    numeric = FunctionTransformer(np.ndarray.astype, kw_args={"dtype": float})
    inner = ColumnTransformer(
        [
            ("all", StandardScaler(), [0, 1]),
            ("wage", make_pipeline(SplineTransformer(), PCA()), [1]),
        ]
    )
    outer = ColumnTransformer(
        [
            ("n", make_pipeline(numeric, SimpleImputer(strategy="median"), inner), [0, 1]),
            ("c", OneHotEncoder(handle_unknown="ignore"), [2]),
            (
                "t",
                make_pipeline(TfidfVectorizer(), TruncatedSVD(n_components=3, random_state=0)),
                3,
            ),
        ]
    )
    table = np.column_stack([AGE.astype(object), WAGE.astype(object), CITY, TEXT])
    return make_pipeline(outer, MaxAbsScaler(), LogisticRegression(tol=1e-10)), table


@pytest.mark.outside("scikit-learn's nested ColumnTransformer and Pipeline, run here")
def test_against_sklearn_nested_groups() -> None:
    pipeline, table = theirs()
    wanted = pipeline.fit(table[TRAIN], Y[TRAIN]).predict_proba(table[TEST])

    predictions = fit_predict(built(NESTED), TABLE, Y, TRAIN, TEST)

    assert predictions.probabilities is not None
    assert_allclose(predictions.probabilities, wanted, rtol=1e-5)  # where lbfgs stops


def reached(prepare: list[Any]) -> Features:
    """Return what the steps make of the test rows, learnt on the training rows."""
    pipeline = built({"name": "majority", "prepare": prepare})
    assert isinstance(pipeline, Pipeline)
    made = pipeline.fit(
        TABLE.rows(TRAIN), Y[TRAIN], weights=None, rng=np.random.default_rng(0), n_classes=2
    )
    features = TABLE.rows(TEST)
    for step in made.steps:
        features = step.transform(features)
    return features


def test_exact_order_and_names_of_what_groups_make() -> None:
    made = reached(
        [
            {
                "groups": [
                    {"columns": ["wage"], "prepare": ["standardise"]},
                    {"columns": ["text"], "prepare": ["CountVectorizer"]},
                    {"columns": ["text", "wage"]},
                ]
            }
        ]
    )

    assert made.names == ("wage", "text", "wage'", "age", "city")
    assert [group.name for group in made.wide] == ["text'"]
    assert_array_equal(made.columns[2], WAGE[TEST])  # as it was, beside the standardised one
    mean, sd = WAGE[TRAIN].mean(), WAGE[TRAIN].std()
    assert_allclose(made.columns[0], (WAGE[TEST] - mean) / sd, rtol=1e-12)
    assert made.get_row_number(0) == 60


def test_limit_one_group_is_the_steps_in_turn() -> None:
    steps = [{"name": "impute", "columns": ["age"]}, {"name": "standardise", "columns": ["age"]}]
    flat, grouped = (
        reached(steps),
        reached([{"groups": [{"columns": ["age"], "prepare": ["impute", "standardise"]}]}]),
    )

    for name in TABLE.names:
        wanted, ours = (f.columns[f.names.index(name)] for f in (flat, grouped))
        assert_array_equal(ours, wanted)


def test_exact_a_group_without_columns_sees_them_all_and_rest_may_be_dropped() -> None:
    everything = reached([{"groups": [{}]}])
    nothing_else = reached([{"groups": [{"columns": ["wage"]}], "rest": "drop"}])

    assert everything.names == TABLE.names
    assert nothing_else.names == ("wage",)


def test_exact_cautions_of_inner_steps_are_reported() -> None:
    hashed = {"name": "HashingVectorizer", "params": {"stop_words": ["don't"], "n_features": 8}}
    inner = {"groups": [{"columns": ["text"], "prepare": [hashed]}], "rest": "drop"}
    pipeline = built({"name": "majority", "prepare": [{"groups": [{"prepare": [inner]}]}]})

    made: Any = pipeline.fit(
        TABLE.rows(TRAIN), Y[TRAIN], weights=None, rng=np.random.default_rng(0), n_classes=2
    )

    assert any("stop_words" in caution.message for caution in made.cautions)


def test_exact_every_field_of_groups_is_read() -> None:
    wire = {
        "name": "ridge",
        "prepare": [
            {
                "groups": [
                    {"columns": ["a"], "prepare": ["pca", {"groups": [{}], "rest": "drop"}]},
                    {},
                ]
            }
        ],
    }
    inner = ColumnGroupsSpec((ColumnGroupSpec(),), "drop")
    outer = ColumnGroupsSpec((ColumnGroupSpec(("a",), (StepSpec("pca"), inner)), ColumnGroupSpec()))

    assert read_learner_spec(wire).prepare == (outer,)


def nested(depth: int) -> Any:
    return "pca" if not depth else {"groups": [{"prepare": [nested(depth - 1)]}]}


@pytest.mark.parametrize(
    ("step", "loc", "words"),
    [
        ({"groups": []}, ("groups",), "a list of 1 to 20 groups"),
        ({"groups": {}}, ("groups",), "a list of 1 to 20 groups"),
        ({"groups": [{}] * 21}, ("groups",), "a list of 1 to 20 groups"),
        ({"groups": ["pca"]}, ("groups", 0), "Expected a group like"),
        ({"groups": [{"steps": []}]}, ("groups", 0, "steps"), "'steps' is not a field"),
        ({"groups": [{}], "columns": ["a"]}, ("columns",), "'columns' is not a field"),
        ({"groups": [{}], "rest": "stay"}, ("rest",), "rest must be 'keep' or 'drop'"),
        ({"groups": [{"columns": []}]}, ("groups", 0, "columns"), "at least one column"),
        ({"groups": [{"prepare": "pca"}]}, ("groups", 0, "prepare"), "must be a list"),
        (
            {"groups": [{}, {"prepare": [{"name": "pca", "params": {"n_components": 0}}]}]},
            ("groups", 1, "prepare", 0, "params", "n_components"),
            "n_components must be",
        ),
        (
            nested(5),
            tuple(["groups", 0, "prepare", 0] * 4),
            "groups are nested more than 4 levels deep",
        ),
    ],
)
def test_invalid_groups(step: Any, loc: tuple[str | int, ...], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words) as refusal:
        built({"name": "majority", "prepare": [step]})

    assert refusal.value.loc == ("prepare", 0, *loc)


def test_limit_four_deep_is_taken() -> None:
    assert isinstance(built({"name": "majority", "prepare": [nested(4)]}), Pipeline)


def test_invalid_too_many_steps_in_all() -> None:
    many = {"groups": [{"prepare": ["standardise"] * 20}] * 6}
    with pytest.raises(InvalidParameter, match="prepare has 120 steps") as refusal:
        built({"name": "majority", "prepare": [many]})

    assert refusal.value.loc == ("prepare",)


def test_invalid_a_column_that_does_not_reach_a_group() -> None:
    inner = {"groups": [{"columns": ["wage"]}, {"columns": ["age", "sex"]}]}
    prepare = [{"groups": [{"columns": ["age"]}, {"prepare": [inner]}]}]

    with pytest.raises(InvalidParameter, match="group 1 names the column 'sex'") as refusal:
        reached(prepare)

    here = ("prepare", 0, "groups", 1, "prepare", 0, "groups", 1, "columns")
    assert refusal.value.loc == here


def test_exact_groups_that_learn_nothing_are_taken_once() -> None:
    from thetahat.cross_validation import is_fast

    groups = {"groups": [{"columns": ["a"], "prepare": ["Normalizer"]}, {"columns": ["b"]}]}
    learns = {"groups": [{"columns": ["a"], "prepare": ["Normalizer", "standardise"]}]}

    assert is_fast(built({"name": "gaussian_naive_bayes", "prepare": [groups]}))
    assert not is_fast(built({"name": "gaussian_naive_bayes", "prepare": [learns]}))

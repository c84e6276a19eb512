"""``cross_validate`` with the splitters and the words of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from sklearn import model_selection as splitters
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thetahat
from thetahat.analyses.cross_validation.given_splits import build_scheme_of_splitter
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.source_k_fold import SourceKFold
from thetahat.values.types import BlockKind

RNG = np.random.default_rng(4)
N = 48
X = RNG.normal(size=(N, 2))
VALUES = X @ np.array([1.0, -0.5]) + RNG.normal(size=N)
CLASSES = np.where(VALUES > 0, "yes", "no")
CODES = (VALUES > 0).astype(int)
WHOLE = np.arange(N) % 3
GROUPS = np.array([f"school {i % 8}" for i in range(N)])

SPLITTERS: dict[str, tuple[Any, BlockKind]] = {
    "KFold": (splitters.KFold(4), BlockKind.RANDOM),
    "shuffled": (splitters.KFold(4, shuffle=True, random_state=1), BlockKind.RANDOM),
    "StratifiedKFold": (splitters.StratifiedKFold(3), BlockKind.RANDOM),
    "RepeatedKFold": (
        splitters.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1),
        BlockKind.RANDOM,
    ),
    "RepeatedStratifiedKFold": (
        splitters.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
        BlockKind.RANDOM,
    ),
    "GroupKFold": (splitters.GroupKFold(4), BlockKind.SOURCE),
    "StratifiedGroupKFold": (splitters.StratifiedGroupKFold(4), BlockKind.SOURCE),
    "LeaveOneGroupOut": (splitters.LeaveOneGroupOut(), BlockKind.SOURCE),
    "LeaveOneOut": (splitters.LeaveOneOut(), BlockKind.RANDOM),
    "ShuffleSplit": (
        splitters.ShuffleSplit(5, test_size=0.25, random_state=1),
        BlockKind.SUBSAMPLES,
    ),
    "StratifiedShuffleSplit": (
        splitters.StratifiedShuffleSplit(5, test_size=0.25, random_state=1),
        BlockKind.SUBSAMPLES,
    ),
    "TimeSeriesSplit": (splitters.TimeSeriesSplit(4), BlockKind.SUBSAMPLES),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_exact_the_splits_are_those_of_scikit_learn(name: str) -> None:
    splitter, kind = SPLITTERS[name]
    scheme = build_scheme_of_splitter(splitter)
    groups = GROUPS if kind is BlockKind.SOURCE else None
    rows = Rows(N, y=CODES, source=GROUPS, time=np.arange(N), classes=("no", "yes"))
    ours = list(scheme.splits(rows, 3))
    theirs = list(splitter.split(X, CODES, groups))

    assert scheme.block_kind is kind
    assert scheme.n_splits(rows) == len(theirs)
    assert {(tuple(s.train), tuple(s.test)) for s in ours} == {
        (tuple(sorted(train)), tuple(sorted(test))) for train, test in theirs
    }
    assert [s.test.tolist() for s in scheme.splits(rows, 3, start=1, stop=3)] == [
        s.test.tolist() for s in ours[1:3]
    ]


@pytest.mark.parametrize("name", SPLITTERS)
def test_against_sklearn_the_mean_is_that_of_its_splits(name: str) -> None:
    splitter, kind = SPLITTERS[name]
    groups = GROUPS if kind is BlockKind.SOURCE else None
    model = LinearRegression()
    y = VALUES
    if "Stratified" in name:
        model, y = LogisticRegression(), CLASSES
    result = thetahat.cross_validate(X, y, {"a": model}, cv=splitter, groups=groups)
    means = []
    for train, test in splitter.split(X, y, groups):
        predicted = clone(model).fit(X[train], y[train]).predict(X[test])
        wrong = predicted != y[test] if y is CLASSES else (predicted - y[test]) ** 2
        means.append(np.mean(wrong))

    assert result.models["a"].mean.macro == pytest.approx(np.mean(means))


def test_exact_a_number_of_folds_is_that_of_our_schemes() -> None:
    learners = {"line": "ridge"}
    by_number = thetahat.cross_validate(X, VALUES, learners, task="regression", cv=4)
    by_scheme = thetahat.cross_validate(
        X, VALUES, learners, task="regression", scheme=KFold(n_folds=4)
    )
    of_groups = thetahat.cross_validate(
        X, VALUES, learners, task="regression", cv=4, groups=GROUPS, unit="school"
    )
    of_sources = thetahat.cross_validate(
        X,
        VALUES,
        learners,
        task="regression",
        scheme=SourceKFold(n_folds=4),
        source=GROUPS,
        unit="school",
    )

    assert by_number.to_dict() == by_scheme.to_dict()
    assert of_groups.to_dict() == of_sources.to_dict()


def test_exact_groups_alone_are_left_out_one_by_one() -> None:
    result = thetahat.cross_validate(X, VALUES, {"a": LinearRegression()}, groups=GROUPS)

    assert set(result.block_labels or ()) == set(GROUPS)
    assert thetahat.Target.NEW_SOURCE in result.models["a"].recommended


def test_exact_groups_of_sources_are_named_as_such() -> None:
    result = thetahat.cross_validate(
        X,
        VALUES,
        {"a": LinearRegression()},
        scheme=splitters.GroupKFold(4),
        groups=GROUPS,
        unit="school",
    )

    assert result.unit.singular == "group of schools"
    assert result.block_labels == ("fold 0", "fold 1", "fold 2", "fold 3")


def test_exact_the_seed_decides_splits_without_a_random_state() -> None:
    def evaluate(seed: int) -> dict[str, Any]:
        splitter = splitters.KFold(4, shuffle=True)
        learners = {"a": LinearRegression()}
        return thetahat.cross_validate(X, VALUES, learners, cv=splitter, seed=seed).to_dict()

    assert evaluate(1) == evaluate(1)
    assert evaluate(1)["models"] != evaluate(2)["models"]


def test_exact_folds_in_the_order_of_the_rows_have_a_caution() -> None:
    def list_codes(splitter: Any) -> set[str]:
        result = thetahat.cross_validate(X, VALUES, {"a": LinearRegression()}, cv=splitter)
        return {caution.code for caution in result.cautions}

    assert "folds_in_row_order" in list_codes(splitters.KFold(4))
    assert "folds_in_row_order" not in list_codes(splitters.KFold(4, shuffle=True))


@pytest.mark.parametrize(
    ("learners", "task"),
    [
        ({"a": LinearRegression()}, "regression"),
        ({"a": LogisticRegression()}, "classification"),
        ({"a": make_pipeline(StandardScaler(), LogisticRegression())}, "classification"),
        ({"a": "ridge", "b": "nearest_neighbours"}, "regression"),
        ({"a": {"name": "majority"}}, "classification"),
        ({"a": "RandomForestRegressor"}, "regression"),
    ],
)
def test_exact_the_learners_tell_the_task(learners: dict[str, Any], task: str) -> None:
    y = VALUES if task == "regression" else CLASSES
    told = thetahat.cross_validate(X, y, learners, cv=3)

    assert told.to_dict() == thetahat.cross_validate(X, y, learners, task=task, cv=3).to_dict()


class Unknown:
    """An estimator that says nothing of its task."""

    def fit(self, features: Any, y: Any) -> Unknown:
        """Learn nothing."""
        del features, y
        return self

    def predict(self, features: Any) -> np.ndarray:
        """Predict 0."""
        return np.zeros(len(features))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"learners": {"a": Unknown()}, "y": WHOLE}, InvalidParameter, "task is not clear"),
        (
            {"learners": {"a": "nearest_neighbours"}, "y": WHOLE},
            InvalidParameter,
            "has 3 different whole numbers in",
        ),
        (
            {"learners": {"a": LinearRegression(), "b": LogisticRegression()}},
            UnsupportedCombination,
            "'b' is for classification, and 'a' for regression",
        ),
        ({"cv": 3, "scheme": "k_fold"}, InvalidParameter, "Give one of them"),
        ({"groups": GROUPS, "source": GROUPS}, InvalidParameter, "two names of one column"),
        (
            {"cv": splitters.GroupShuffleSplit()},
            InvalidParameter,
            "of GroupShuffleSplit are is not",
        ),
        ({"cv": splitters.GroupKFold(3)}, InvalidParameter, "GroupKFold needs groups"),
        ({"cv": splitters.StratifiedKFold(3)}, InvalidParameter, "cannot split these data"),
        ({"cv": splitters.KFold(99)}, InvalidParameter, "cannot split these data"),
        ({"cv": splitters.KFold}, InvalidParameter, "a splitter of scikit-learn"),
        ({"cv": True}, InvalidParameter, "number of folds"),
        ({"scheme": 5}, InvalidParameter, "number of folds"),
        ({"scheme": "time_series"}, EvaluationError, "time"),
    ],
)
def test_invalid_arguments_are_named(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        thetahat.cross_validate(
            X, **{"y": VALUES, "learners": {"a": LinearRegression()}, **arguments}
        )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_exact_frames_of_every_package_are_taken(make: Callable[[Any], Any]) -> None:
    columns = {"x": X[:, 0], "z": X[:, 1], "y": VALUES, "school": GROUPS, "w": np.arange(N) + 1.0}
    frame = make(columns)
    from_frame = thetahat.cross_validate(
        frame,
        frame["y"],
        {"line": "ridge"},
        task="regression",
        features=["x", "z"],
        groups=frame["school"],
        weight=frame["w"],
    )
    from_arrays = thetahat.cross_validate(
        {"x": X[:, 0], "z": X[:, 1]},
        VALUES,
        {"line": "ridge"},
        task="regression",
        groups=GROUPS,
        weight=columns["w"],
    )

    assert from_frame.to_dict() == from_arrays.to_dict()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_exact_scores_and_losses_come_from_frames_of_every_package(
    make: Callable[[Any], Any],
) -> None:
    scores = {"a": [0.8, 0.7, 0.9], "b": [0.7, 0.6, 0.9]}
    sizes: dict[str, Any] = {"n_train": 30, "n_test": 10, "better": "higher"}

    assert (
        thetahat.evaluate_scores(make(scores), **sizes).to_dict()
        == thetahat.evaluate_scores(scores, **sizes).to_dict()
    )
    assert (
        thetahat.evaluate(make(scores), blocks="holdout").to_dict()
        == thetahat.evaluate(scores, blocks="holdout").to_dict()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv must be at least 2, and is 1."),
        ({"cv": 2, "groups": GROUPS[:3]}, f"groups has 3 labels, and y has {N} values."),
    ],
)
def test_invalid_a_refusal_has_the_words_of_the_call(options: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{message}$"):
        thetahat.cross_validate(X, VALUES, {"line": LinearRegression()}, **options)

"""Names, tasks, own learners and entry points."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.thetahat.pipelines.tables import built, numbers, values
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.pipelines import LearnerSpec, build, describe_learners, learner_spec
from thetahat.pipelines.pipeline import Pipeline

PACKAGE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo


@dataclass(frozen=True)
class Constant:
    info: ClassVar[MethodInfo] = MethodInfo(name="constant", title="Constant", summary="One value.")
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})
    takes_weights: ClassVar[bool] = False
    value: float = 0.0

    def fit(self, features, y, *, weights, rng, n_classes):
        return self

    def predict(self, features):
        return Predictions(np.full(features.n, self.value))
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> frozenset[str]:
    """A package with one learner under two names, as an installer would leave it."""
    (tmp_path / "thetahat_constant.py").write_text(PACKAGE)
    metadata = tmp_path / "thetahat_constant-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: thetahat-constant\nVersion: 1\n"
    )
    (metadata / "entry_points.txt").write_text(
        "[thetahat.learners]\n"
        "constant = thetahat_constant:Constant\n"
        "other = thetahat_constant:Constant\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "thetahat_constant", raising=False)
    return frozenset({"constant"})


def test_exact_an_allowed_entry_point_is_built_and_checked(installed: frozenset[str]) -> None:
    spec = learner_spec({"name": "constant", "params": {"value": 3}})
    learner = build(spec, "regression", allowed_entry_points=installed)
    fitted = learner.fit(
        numbers(), values(numbers()), weights=None, rng=np.random.default_rng(0), n_classes=0
    )
    assert fitted.predict(numbers(4)).output.tolist() == [3.0] * 4
    prepared = learner_spec({"name": "constant", "prepare": ["standardise"]})
    pipeline = build(prepared, "regression", allowed_entry_points=installed)
    assert isinstance(pipeline, Pipeline)
    assert not pipeline.gives_probabilities
    with pytest.raises(InvalidParameter, match="constant has no parameter 'values'"):
        build(LearnerSpec("constant", {"values": 3}), "regression", allowed_entry_points=installed)
    with pytest.raises(UnsupportedCombination, match="constant is not for classification"):
        build(LearnerSpec("constant"), "classification", allowed_entry_points=installed)
    described = describe_learners(with_parameters=False, allowed_entry_points=installed)
    (entry,) = (d for d in described if d["origin"] == "entry point")
    assert entry["name"] == "constant"
    assert entry["parameters"]["properties"] == {"value": {"type": "number", "default": 0.0}}


def test_invalid_entry_points_that_are_not_allowed_or_not_there(installed: frozenset[str]) -> None:
    with pytest.raises(InvalidParameter, match="'constant' is not one of the learners"):
        build(LearnerSpec("constant"), "regression")
    assert "thetahat_constant" not in sys.modules
    with pytest.raises(InvalidParameter, match=r"0 installed packages have .* 'absent'"):
        build(LearnerSpec("absent"), "regression", allowed_entry_points=frozenset({"absent"}))
    with pytest.raises(InvalidParameter, match="'other' calls itself 'constant'"):
        build(LearnerSpec("other"), "regression", allowed_entry_points=frozenset({"other"}))


def test_invalid_an_entry_point_asked_for_directly_must_be_allowed() -> None:
    from thetahat.pipelines.entry_points import allowed_learner

    with pytest.raises(InvalidParameter, match="not an allowed learner"):
        allowed_learner("os", frozenset(), loc=())


@pytest.mark.parametrize(
    "name", ["VotingClassifier", "sklearn.svm.SVC", "os.system", "", "StandardScaler", "PCA"]
)
def test_invalid_names_that_are_not_on_a_list(name: str) -> None:
    with pytest.raises(InvalidParameter, match="is not one of the learners: ") as refusal:
        build(LearnerSpec(name), "classification", loc=("learners", "m"))
    assert refusal.value.loc == ("learners", "m", "name")
    assert "LogisticRegression" in refusal.value.message


@pytest.mark.parametrize("name", ["scale", "SVC", "FunctionTransformer"])
def test_invalid_steps_that_are_not_on_a_list(name: str) -> None:
    with pytest.raises(
        InvalidParameter, match="is not one of the steps: impute, one_hot, pca, st"
    ) as refusal:
        built({"name": "GaussianNB", "prepare": [name]})
    assert refusal.value.loc == ("prepare", 0, "name")


def test_invalid_a_learner_for_another_task() -> None:
    with pytest.raises(UnsupportedCombination, match="SVC is not for regression") as refusal:
        built("SVC", "regression")
    assert refusal.value.loc == ("name",)
    assert "SVR" in refusal.value.message
    with pytest.raises(UnsupportedCombination, match="Ridge is not for classification"):
        built("Ridge")
    with pytest.raises(InvalidParameter, match="task must be one of") as bad:
        built("Ridge", "clustering")
    assert bad.value.loc == ("task",)


def test_property_every_own_learner_can_be_named() -> None:
    for name, method in LEARNERS.items():
        for task in method.tasks:
            assert isinstance(built(name, task), method)

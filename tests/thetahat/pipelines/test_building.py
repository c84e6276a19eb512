"""Names, tasks and own learners."""

from __future__ import annotations

import pytest

from tests.thetahat.pipelines.tables import built
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.pipelines import LearnerSpec, build


@pytest.mark.parametrize(
    "name", ["VotingClassifier", "sklearn.svm.SVC", "os.system", "", "StandardScaler", "PCA"]
)
def test_invalid_names_that_are_not_on_a_list(name: str) -> None:
    with pytest.raises(InvalidParameter, match="is not one of the learners") as refusal:
        build(LearnerSpec(name), "classification", loc=("learners", "m"))
    assert refusal.value.loc == ("learners", "m", "name")
    assert "LogisticRegression" in refusal.value.message


@pytest.mark.parametrize("name", ["scale", "SVC", "FunctionTransformer"])
def test_invalid_steps_that_are_not_on_a_list(name: str) -> None:
    with pytest.raises(
        InvalidParameter, match=r"is not one of the steps.*: impute, one_hot, pca, st"
    ) as refusal:
        built({"name": "GaussianNB", "prepare": [name]})
    assert refusal.value.loc == ("prepare", 0, "name")


def test_invalid_a_class_that_is_left_out_says_why() -> None:
    with pytest.raises(InvalidParameter, match=r"Voting.* \(it is built from other esti"):
        built("VotingClassifier")
    with pytest.raises(InvalidParameter, match=r"Function.* \(it runs code"):
        built({"name": "GaussianNB", "prepare": ["FunctionTransformer"]})


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

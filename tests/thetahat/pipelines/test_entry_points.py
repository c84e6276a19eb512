"""Learners of other packages: only those that the operator allows, and nothing of others runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.thetahat.pipelines.packages import install
from tests.thetahat.pipelines.tables import numbers, values
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.pipelines import LearnerSpec, build, describe_learners, read_learner_spec
from thetahat.pipelines.entry_points import list_installed_learners, load_learner
from thetahat.pipelines.pipeline import Pipeline

ALLOWED = frozenset({"extra-learners"})
MODULE = "extra_learners_learners"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    load_learner.cache_clear()
    return tmp_path


def test_exact_an_allowed_packages_learner_is_built_and_checked(folder: Path) -> None:
    install(folder)
    spec = read_learner_spec({"name": "constant", "params": {"value": 3}})
    learner = build(spec, "regression", allowed_packages=ALLOWED)
    fitted = learner.fit(
        numbers(), values(numbers()), weights=None, rng=np.random.default_rng(0), n_classes=0
    )
    assert fitted.predict(numbers(4)).output.tolist() == [3.0] * 4
    prepared = read_learner_spec({"name": "constant", "prepare": ["standardise"]})
    pipeline = build(prepared, "regression", allowed_packages=ALLOWED)
    assert isinstance(pipeline, Pipeline)
    assert not pipeline.gives_probabilities
    with pytest.raises(InvalidParameter, match="constant has no parameter 'values'"):
        build(LearnerSpec("constant", {"values": 3}), "regression", allowed_packages=ALLOWED)
    with pytest.raises(UnsupportedCombination, match="constant is not for classification"):
        build(LearnerSpec("constant"), "classification", allowed_packages=ALLOWED)


def test_exact_it_is_described_with_its_package_and_version(folder: Path) -> None:
    install(folder, entries={"constant": "Constant"})
    described = describe_learners(allowed_packages=ALLOWED)
    (entry,) = (d for d in described if d["origin"] == "entry point")
    assert entry == {
        "name": "constant",
        "title": "Constant",
        "summary": "Of a test.",
        "tasks": ["regression"],
        "origin": "entry point",
        "package": "extra-learners",
        "version": "1.2",
        "parameters": {
            "type": "object",
            "properties": {"value": {"type": "number", "default": 0.0}},
            "additionalProperties": False,
        },
    }


@pytest.mark.parametrize("allowed", ["extra-learners", "Extra.Learners", "EXTRA__learners"])
def test_exact_a_package_is_known_by_every_spelling_of_its_name(folder: Path, allowed: str) -> None:
    install(folder)
    assert "constant" in list_installed_learners({allowed})
    assert not list_installed_learners({"extralearners"})


def test_invalid_a_package_that_is_not_allowed_is_not_imported(folder: Path) -> None:
    install(folder)
    with pytest.raises(InvalidParameter, match="'constant' is not one of the learners") as refusal:
        build(LearnerSpec("constant"), "regression", loc=("learners", "c"))
    assert (
        "the package extra-learners has it, but the operator has not allowed that package"
        in refusal.value.message
    )
    assert refusal.value.loc == ("learners", "c", "name")
    describe_learners()
    assert MODULE not in sys.modules


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (
            {"other": "Constant"},
            "'other' of the package extra-learners 1.2 has another name in its info: 'const",
        ),
        ({"absent": "Absent"}, "cannot be loaded: AttributeError"),
        ({"nothing": "NoLearner"}, "is not a dataclass with a MethodInfo named info"),
        ({"unfinished": "Unfinished"}, "has no tasks, no takes_weights, no fit"),
    ],
)
def test_invalid_a_value_that_is_no_learner_is_refused(
    folder: Path, entries: dict[str, str], words: str
) -> None:
    install(folder, entries=entries)
    (name,) = entries
    with pytest.raises(InvalidParameter, match=words) as refusal:
        build(LearnerSpec(name), "regression", allowed_packages=ALLOWED, loc=("learners", "c"))
    assert refusal.value.loc == ("learners", "c", "name")
    described = describe_learners(allowed_packages=ALLOWED)
    (entry,) = (d for d in described if d["origin"] == "entry point")
    assert words.rpartition("' of ")[2] in entry["summary"]
    assert entry["tasks"] == []


def test_invalid_a_name_that_two_packages_have_is_nobodys(folder: Path) -> None:
    install(folder, entries={"constant": "Constant"})
    install(folder, "Second", entries={"constant": "Constant", "sulky": "Sulky"})
    both = {*ALLOWED, "second"}
    assert set(list_installed_learners(both)) == {"sulky"}
    assert list_installed_learners(ALLOWED)["constant"].package == "extra-learners"


def test_exact_the_services_own_names_stay_its_own(folder: Path) -> None:
    install(folder, entries={"mean": "Constant", "Ridge": "Constant"})
    assert not list_installed_learners(ALLOWED)
    learner = build(LearnerSpec("mean"), "regression", allowed_packages=ALLOWED)
    assert type(learner).__module__.startswith("thetahat")

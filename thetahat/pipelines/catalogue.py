"""The catalogue of learners and preparation steps, with the JSON Schema of their parameters."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from thetahat.errors import InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    SCORE_FUNCTIONS,
    SELECTORS,
    TRANSFORMERS,
    VECTORISERS,
    get_default_columns,
    get_learner_tasks,
    load_class,
    make_title,
)
from thetahat.pipelines.building import TASKS
from thetahat.pipelines.constraints import build_params_schema
from thetahat.pipelines.dataclass_params import build_fields_schema
from thetahat.pipelines.entry_points import InstalledLearner, list_installed_learners, load_learner
from thetahat.pipelines.steps import STEPS
from thetahat.values.json_schema import JsonSchema


class LearnerDescription(TypedDict):
    """A learner or a preparation step, as the catalogue lists it."""

    name: str
    title: str
    summary: str
    tasks: list[str]
    origin: str
    acts_on: NotRequired[str]
    parameters: JsonSchema
    package: NotRequired[str]
    version: NotRequired[str]


def describe_learners(
    *, allowed_packages: frozenset[str] = frozenset()
) -> list[LearnerDescription]:
    """Return every learner's name, title, tasks, origin and parameters.

    ``allowed_packages`` are those whose learners the operator allows.
    """
    own = [_describe_own(LEARNERS[name], "thetahat") for name in LEARNERS]
    others = [
        _describe_installed(learner)
        for learner in list_installed_learners(allowed_packages).values()
    ]
    scikit: list[LearnerDescription] = [
        {
            "name": name,
            "title": make_title(name),
            "summary": f"scikit-learn's {name}.",
            "tasks": sorted(get_learner_tasks(name)),
            "origin": "scikit-learn",
            "parameters": build_params_schema(load_class(name)),
        }
        for name in sorted({*CLASSIFIERS, *REGRESSORS})
    ]
    return [*own, *others, *scikit]


def describe_steps() -> list[LearnerDescription]:
    """Return every preparation step's name, title, tasks, origin, kind of column and parameters."""
    own: list[LearnerDescription] = [
        {
            "name": name,
            "title": STEPS[name].info.title,
            "summary": STEPS[name].info.summary,
            "tasks": sorted(TASKS),
            "origin": "thetahat",
            "acts_on": STEPS[name]().default_columns.value,
            "parameters": build_fields_schema(STEPS[name]),
        }
        for name in STEPS
    ]
    scikit: list[LearnerDescription] = [
        {
            "name": name,
            "title": make_title(name),
            "summary": f"scikit-learn's {name}, fitted on the training part.",
            "tasks": sorted(TASKS),
            "origin": "scikit-learn",
            "acts_on": get_default_columns(name).value,
            "parameters": _build_step_schema(name),
        }
        for name in sorted({*TRANSFORMERS, *VECTORISERS})
    ]
    return [*own, *scikit]


def _describe_own(method: Any, origin: str) -> LearnerDescription:
    return {
        "name": method.info.name,
        "title": method.info.title,
        "summary": method.info.summary,
        "tasks": sorted(method.tasks),
        "origin": origin,
        "parameters": build_fields_schema(method),
    }


def _describe_installed(learner: InstalledLearner) -> LearnerDescription:
    """Describe an installed learner, or give the reason why it cannot be used."""
    try:
        description = _describe_own(load_learner(learner), "entry point")
    except InvalidParameter as error:
        description = {
            "name": learner.name,
            "title": learner.name,
            "summary": error.message,
            "tasks": [],
            "origin": "entry point",
            "parameters": {},
        }
    description["package"] = learner.package
    description["version"] = learner.version
    return description


def _build_step_schema(name: str) -> JsonSchema:
    schema = build_params_schema(load_class(name))
    if name in SELECTORS:
        choices = sorted({score for scores in SCORE_FUNCTIONS.values() for score in scores})
        schema["properties"] = {**schema["properties"], "score_func": {"enum": choices}}
    return schema

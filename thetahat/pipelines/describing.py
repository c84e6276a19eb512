"""What a client may ask for: every learner and every step, with the schema of its parameters."""

from __future__ import annotations

from typing import Any

from thetahat.errors import InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.pipelines.allowed import (
    CLASSIFIERS,
    REGRESSORS,
    SCORE_FUNCTIONS,
    SELECTORS,
    TRANSFORMERS,
    VECTORISERS,
    acts_on,
    learner_tasks,
    load,
    title,
)
from thetahat.pipelines.building import TASKS
from thetahat.pipelines.constraints import params_schema
from thetahat.pipelines.entry_points import Installed, installed_learners, load_learner
from thetahat.pipelines.fields import fields_schema
from thetahat.pipelines.steps import STEPS

Description = dict[str, Any]


def describe_learners(
    *, with_parameters: bool = True, allowed_packages: frozenset[str] = frozenset()
) -> list[Description]:
    """Return every learner's name, title, tasks, origin and parameters.

    Parameters
    ----------
    with_parameters : bool
        Whether to add ``parameters``, a JSON Schema: that imports scikit-learn.
    allowed_packages : frozenset of str
        The packages whose learners the operator allows.
    """
    own = [_own(LEARNERS[name], "thetahat") for name in LEARNERS]
    others = [_installed(one) for one in installed_learners(allowed_packages).values()]
    names = sorted({*CLASSIFIERS, *REGRESSORS})
    scikit = [
        {
            "name": name,
            "title": title(name),
            "summary": f"scikit-learn's {name}.",
            "tasks": sorted(learner_tasks(name)),
            "origin": "scikit-learn",
            **({"parameters": params_schema(load(name))} if with_parameters else {}),
        }
        for name in names
    ]
    return [*own, *others, *scikit]


def describe_transformers(*, with_parameters: bool = True) -> list[Description]:
    """Return every preparation step's name, title, tasks, origin, kind of column and parameters."""
    own: list[Description] = [
        {
            "name": name,
            "title": STEPS[name].info.title,
            "summary": STEPS[name].info.summary,
            "tasks": sorted(TASKS),
            "origin": "thetahat",
            "acts_on": STEPS[name]().acts_on.value,
            "parameters": fields_schema(STEPS[name]),
        }
        for name in STEPS
    ]
    scikit = [
        {
            "name": name,
            "title": title(name),
            "summary": f"scikit-learn's {name}, learnt in the training part.",
            "tasks": sorted(TASKS),
            "origin": "scikit-learn",
            "acts_on": acts_on(name).value,
            **({"parameters": _step_schema(name)} if with_parameters else {}),
        }
        for name in sorted({*TRANSFORMERS, *VECTORISERS})
    ]
    return [*own, *scikit]


def _own(method: Any, origin: str) -> Description:
    return {
        "name": method.info.name,
        "title": method.info.title,
        "summary": method.info.summary,
        "tasks": sorted(method.tasks),
        "origin": origin,
        "parameters": fields_schema(method),
    }


def _installed(one: Installed) -> Description:
    """Describe another package's learner, or say why it cannot be had."""
    whose = {"package": one.package, "version": one.version}
    try:
        return {**_own(load_learner(one), "entry point"), **whose}
    except InvalidParameter as error:
        unusable = {"name": one.name, "title": one.name, "summary": error.message, "tasks": []}
        return {**unusable, "origin": "entry point", "parameters": {}, **whose}


def _step_schema(name: str) -> dict[str, Any]:
    schema = params_schema(load(name))
    if name in SELECTORS:
        choices = sorted({score for scores in SCORE_FUNCTIONS.values() for score in scores})
        schema["properties"]["score_func"] = {"enum": choices}
    return schema

"""Building a learner from its specification; a bad one is refused before a job starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.pipelines.allowed_classes import (
    CLASSIFIERS,
    REGRESSORS,
    SCORE_FUNCTIONS,
    TRANSFORMERS,
    VECTORISERS,
    WEIGHTED,
    get_learner_tasks,
    load_class,
)
from thetahat.pipelines.column_step import ColumnStep
from thetahat.pipelines.dataclass_params import build_dataclass
from thetahat.pipelines.entry_points import find_package, list_installed_learners, load_learner_at
from thetahat.pipelines.estimators import check_estimator_params
from thetahat.pipelines.excluded_classes import EXCLUDED
from thetahat.pipelines.groups import ColumnGroup, ColumnGroups
from thetahat.pipelines.parameter_conflicts import check_combination
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.pipelines.scikit_step import ScikitStep
from thetahat.pipelines.spec import ColumnGroupsSpec, LearnerSpec, StepSpec
from thetahat.pipelines.steps import STEPS
from thetahat.pipelines.steps.base import Step
from thetahat.pipelines.text_step import TextStep
from thetahat.similar_names import suggest_name
from thetahat.values.json_values import JsonValue

TASKS: Final = frozenset(SCORE_FUNCTIONS)


@dataclass(frozen=True, slots=True)
class NamedLearner:
    """The tasks of a learner and its class."""

    tasks: frozenset[str]
    method: Any  # the dataclass; None for a scikit-learn class


def build(
    spec: LearnerSpec,
    task: str,
    *,
    allowed_packages: frozenset[str] = frozenset(),
    loc: Loc = (),
) -> Learner:
    """Return the learner that a specification describes.

    Without steps this is the learner itself, so that its fast paths over many splits can be used;
    with steps it is a ``Pipeline``.

    Parameters
    ----------
    spec : LearnerSpec
        Names and parameters.
    task : str
        ``classification`` or ``regression``.
    allowed_packages : frozenset of str
        Packages whose learners the operator allows.
    loc : tuple
        Path of the specification in the request; the ``loc`` of every exception starts with it.

    Raises
    ------
    InvalidParameter
        An unknown name, a parameter that is unknown, not allowed or out of range, or a combination
        of parameters that scikit-learn refuses.
    UnsupportedCombination
        The learner is not for this task; the message names those that are.
    """
    if task not in TASKS:
        raise InvalidParameter(
            f"task must be one of {', '.join(sorted(TASKS))}; got {task!r}.",
            loc=("task",),
            value=task,
        )
    named_learner = _find_learner(spec.name, task, allowed_packages, loc)
    if task not in named_learner.tasks:
        fitting = [name for name in sorted(LEARNERS) if task in LEARNERS[name].tasks]
        near = suggest_name(spec.name, [*fitting, *_build_table(task)], "learners")
        raise UnsupportedCombination(
            f"{spec.name} is not for {task}{near}; learners for {task} are {', '.join(fitting)} "
            f"and scikit-learn's {', '.join(_build_table(task))}.",
            loc=(*loc, "name"),
            value=spec.name,
        )
    spec_loc = (*loc, "params")
    learner: Any
    if named_learner.method is None:
        params = _check_params_of_class(spec, task, loc)
        check_combination(spec.name, params, task=task, loc=spec_loc)
        learner = ScikitLearner(spec.name, params, task)
    else:
        learner = build_dataclass(named_learner.method, spec.params, loc=spec_loc)
    if spec.prepare:
        steps = _build_steps(spec.prepare, task, ("prepare",), loc)
        learner = Pipeline(steps, learner, task)
    # An adapter has the protocol's class variables as properties, which read the same.
    return cast("Learner", learner)


def find_tasks(
    spec: LearnerSpec, task: str, *, allowed_packages: frozenset[str] = frozenset(), loc: Loc = ()
) -> frozenset[str]:
    """Return the tasks of the learner that a specification names; raises as ``build`` does.

    ``task`` is the task whose learners are named if the name is unknown.
    """
    return _find_learner(spec.name, task, allowed_packages, loc).tasks


def _build_steps(
    specs: tuple[StepSpec | ColumnGroupsSpec, ...], task: str, place: Loc, loc: Loc
) -> tuple[ColumnStep | ColumnGroups, ...]:
    """Return the steps of a list.

    ``place`` is the path of the list in the specification, ``loc`` that of the specification in
    the request.
    """
    made: list[ColumnStep | ColumnGroups] = []
    for at, spec in enumerate(specs):
        here = (*place, at)
        if isinstance(spec, StepSpec):
            step = build_step(spec, task, loc=(*loc, *here))
            made.append(ColumnStep(step, spec.columns, here, spec.weighted))
            continue
        branches = (
            ColumnGroup(
                group.columns,
                _build_steps(group.prepare, task, (*here, "groups", k, "prepare"), loc),
            )
            for k, group in enumerate(spec.groups)
        )
        made.append(ColumnGroups(tuple(branches), spec.rest == "keep", here))
    return tuple(made)


def build_step(spec: StepSpec, task: str, *, loc: Loc = ()) -> Step:
    """Return the preparation step that a specification describes; raises as ``build`` does."""
    takes_weights = {*WEIGHTED, *(n for n in STEPS if getattr(STEPS[n], "takes_weights", False))}
    if spec.weighted and spec.name not in takes_weights:
        raise InvalidParameter(
            f"{spec.name} cannot use weights; steps that can are "
            f"{', '.join(sorted(takes_weights))}.",
            loc=(*loc, "weighted"),
            value=True,
        )
    if spec.name in STEPS:
        return build_dataclass(STEPS[spec.name], spec.params, loc=(*loc, "params"))
    if spec.name in TRANSFORMERS:
        return cast("Step", ScikitStep(spec.name, _check_params_of_class(spec, task, loc)))
    if spec.name in VECTORISERS:
        return cast("Step", TextStep(spec.name, _check_params_of_class(spec, task, loc)))
    theirs = sorted({*TRANSFORMERS, *VECTORISERS})
    why = _explain_exclusion(spec.name) or suggest_name(spec.name, [*STEPS, *theirs])
    raise InvalidParameter(
        f"{spec.name!r} is not one of the steps{why}: {', '.join(STEPS)}, and "
        f"scikit-learn's {', '.join(theirs)}.",
        loc=(*loc, "name"),
        value=spec.name,
    )


def _check_params_of_class(
    spec: LearnerSpec | StepSpec, task: str, loc: Loc
) -> dict[str, JsonValue]:
    """Return the checked parameters of the scikit-learn class that a specification names."""
    load_class(spec.name, loc=(*loc, "name"))  # refused by name where scikit-learn is missing
    return check_estimator_params(spec.name, spec.params, task=task, loc=(*loc, "params"))


def _find_learner(name: str, task: str, allowed: frozenset[str], loc: Loc) -> NamedLearner:
    here = (*loc, "name")
    if name in LEARNERS:
        return NamedLearner(LEARNERS[name].tasks, LEARNERS[name])
    if tasks := get_learner_tasks(name):
        return NamedLearner(tasks, None)
    others = list_installed_learners(allowed)
    if name in others:
        method = load_learner_at(others[name], here)
        return NamedLearner(method.tasks, method)
    known = sorted({*CLASSIFIERS, *REGRESSORS})
    own = ", ".join([*LEARNERS, *others])
    package = find_package(name)
    whose = (
        f" (the package {package} has it, but the operator has not allowed that package)"
        if package
        else _explain_exclusion(name)
    )
    fitting = [learner_name for learner_name in LEARNERS if task in LEARNERS[learner_name].tasks]
    whose = (
        whose
        or suggest_name(name, [*fitting, *_build_table(task)], "learners")
        or suggest_name(name, [*LEARNERS, *others, *known], "learners")
    )
    raise InvalidParameter(
        f"{name!r} is not one of the learners{whose}: {own}, and scikit-learn's "
        f"{', '.join(known)}.",
        loc=here,
        value=name,
    )


def _explain_exclusion(name: str) -> str:
    """Return in brackets why a scikit-learn class is excluded; empty for any other name."""
    return f" ({EXCLUDED[name]})" if name in EXCLUDED else ""


def _build_table(task: str) -> list[str]:
    return list(CLASSIFIERS if task == "classification" else REGRESSORS)

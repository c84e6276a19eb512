"""A learner built from its spec, or refused in words before any job starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.pipelines.allowed import (
    CLASSIFIERS,
    REGRESSORS,
    SCORE_FUNCTIONS,
    TRANSFORMERS,
    VECTORISERS,
    WEIGHTED,
    learner_tasks,
)
from thetahat.pipelines.column_step import PlacedStep
from thetahat.pipelines.entry_points import installed_learners, learner_at, package_of
from thetahat.pipelines.estimators import checked_params
from thetahat.pipelines.excluded import LEFT_OUT
from thetahat.pipelines.fields import construct
from thetahat.pipelines.groups import Branch, PlacedGroups
from thetahat.pipelines.parameter_conflicts import check_together
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.pipelines.scikit_step import ScikitStep
from thetahat.pipelines.spec import GroupsSpec, LearnerSpec, StepSpec
from thetahat.pipelines.steps import STEPS
from thetahat.pipelines.steps.base import Step
from thetahat.pipelines.text_step import TextStep
from thetahat.similar_names import meant

TASKS: Final = frozenset(SCORE_FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Found:
    """A learner by name: the tasks it is for, and where it comes from."""

    tasks: frozenset[str]
    method: Any  # the dataclass, or None for a scikit-learn class


def build(
    spec: LearnerSpec,
    task: str,
    *,
    allowed_packages: frozenset[str] = frozenset(),
    loc: Loc = (),
) -> Learner:
    """Return the learner that a spec describes.

    Without steps it is the learner itself, so that its own fast paths stay in reach; with steps
    it is a ``Pipeline`` around it.

    Parameters
    ----------
    spec : LearnerSpec
        Names and parameters.
    task : str
        ``classification`` or ``regression``.
    allowed_packages : frozenset of str
        The packages whose learners the operator allows.
    loc : tuple
        Where the spec stands in the request, put in front of every refusal's ``loc``.

    Raises
    ------
    InvalidParameter
        A name that is not known, a parameter that is not known, not taken or out of its range, or
        parameters that scikit-learn does not take together.
    UnsupportedCombination
        A learner that is not for this task; the message names those that are.
    """
    if task not in TASKS:
        raise InvalidParameter(
            f"task must be one of {', '.join(sorted(TASKS))}; got {task!r}",
            loc=("task",),
            value=task,
        )
    found = _find(spec.name, allowed_packages, loc)
    if task not in found.tasks:
        fitting = ", ".join(n for n in sorted(LEARNERS) if task in LEARNERS[n].tasks)
        raise UnsupportedCombination(
            f"{spec.name} is not for {task}; for it there are {fitting} and scikit-learn's "
            f"{', '.join(_table(task))}",
            loc=(*loc, "name"),
            value=spec.name,
        )
    here = (*loc, "params")
    learner: Any
    if found.method is None:
        params = checked_params(spec.name, spec.params, task=task, loc=here)
        check_together(spec.name, params, task=task, loc=here)
        learner = ScikitLearner(spec.name, params, task)
    else:
        learner = construct(found.method, spec.params, loc=here)
    if spec.prepare:
        steps = _placed(spec.prepare, task, ("prepare",), loc)
        learner = Pipeline(steps, learner, task)
    # The protocol's class variables are properties of an adapter: the same to read.
    return cast("Learner", learner)


def _placed(
    specs: tuple[StepSpec | GroupsSpec, ...], task: str, place: Loc, loc: Loc
) -> tuple[PlacedStep | PlacedGroups, ...]:
    """Return the steps of a list; ``place`` is its place in the spec, which stands at ``loc``."""
    made: list[PlacedStep | PlacedGroups] = []
    for at, spec in enumerate(specs):
        here = (*place, at)
        if isinstance(spec, StepSpec):
            step = build_step(spec, task, loc=(*loc, *here))
            made.append(PlacedStep(step, spec.columns, here, spec.weighted))
            continue
        branches = (
            Branch(
                group.columns, _placed(group.prepare, task, (*here, "groups", k, "prepare"), loc)
            )
            for k, group in enumerate(spec.groups)
        )
        made.append(PlacedGroups(tuple(branches), spec.rest == "keep", here))
    return tuple(made)


def build_step(spec: StepSpec, task: str, *, loc: Loc = ()) -> Step:
    """Return the preparation step that a spec describes; raises as ``build`` does."""
    here = (*loc, "params")
    takes_weights = {*WEIGHTED, *(n for n in STEPS if getattr(STEPS[n], "takes_weights", False))}
    if spec.weighted and spec.name not in takes_weights:
        raise InvalidParameter(
            f"{spec.name} learns without weights; with them learn "
            f"{', '.join(sorted(takes_weights))}",
            loc=(*loc, "weighted"),
            value=True,
        )
    if spec.name in STEPS:
        return construct(STEPS[spec.name], spec.params, loc=here)
    if spec.name in TRANSFORMERS:
        params = checked_params(spec.name, spec.params, task=task, loc=here)
        return cast("Step", ScikitStep(spec.name, params))
    if spec.name in VECTORISERS:
        params = checked_params(spec.name, spec.params, task=task, loc=here)
        return cast("Step", TextStep(spec.name, params))
    theirs = sorted({*TRANSFORMERS, *VECTORISERS})
    why = _why(spec.name) or meant(spec.name, [*STEPS, *theirs])
    raise InvalidParameter(
        f"{spec.name!r} is not one of the steps{why}: {', '.join(STEPS)}, and "
        f"scikit-learn's {', '.join(theirs)}",
        loc=(*loc, "name"),
        value=spec.name,
    )


def _find(name: str, allowed: frozenset[str], loc: Loc) -> Found:
    here = (*loc, "name")
    if name in LEARNERS:
        return Found(LEARNERS[name].tasks, LEARNERS[name])
    if tasks := learner_tasks(name):
        return Found(tasks, None)
    others = installed_learners(allowed)
    if name in others:
        method = learner_at(others[name], here)
        return Found(method.tasks, method)
    known = sorted({*CLASSIFIERS, *REGRESSORS})
    own = ", ".join([*LEARNERS, *others])
    package = package_of(name)
    whose = f" (the package {package} has it, and is not allowed here)" if package else _why(name)
    whose = whose or meant(name, [*LEARNERS, *others, *known])
    raise InvalidParameter(
        f"{name!r} is not one of the learners{whose}: {own}, and scikit-learn's {', '.join(known)}",
        loc=here,
        value=name,
    )


def _why(name: str) -> str:
    """Return, in brackets, why a class of scikit-learn's is not on the list; empty for a name."""
    return f" ({LEFT_OUT[name]})" if name in LEFT_OUT else ""


def _table(task: str) -> list[str]:
    return list(CLASSIFIERS if task == "classification" else REGRESSORS)

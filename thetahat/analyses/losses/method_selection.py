"""The methods of a family that an evaluation uses: those that are named, or all that fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.result import NotApplicable
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.base import MIN_MODELS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.registry import MethodInfo, Registry
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind
from thetahat.variances import VARIANCES

M = TypeVar("M")


class SelectedMethods(NamedTuple, Generic[M]):
    """The methods of one family that an evaluation uses."""

    methods: tuple[ChosenMethod[M], ...]
    """In order of the request, or of wire name."""
    named: bool
    """Whether the request named them: a named method that fails is an error, a defaulted one is
    left out with its reason."""
    left_out: tuple[NotApplicable, ...] = ()
    """The defaulted ones that do not fit the layout."""


def select(  # noqa: PLR0913 - the registry, the request and the data
    family: str,
    chosen: tuple[ChosenMethod[M], ...] | None,
    registry: Mapping[str, type[M]],
    layout: Layout,
    choices: Choices,
    n_models: int | None = None,
) -> SelectedMethods[M]:
    """Return the named methods, or all that fit the layout with the reasons why others do not.

    By default a method is left out if it is ``by_request_only``, or if its ``too_slow_by_default``
    returns a reason. ``n_models`` is for tests of all models; if there are too few models for any
    of them, no method is selected and no reason is listed.
    """
    if chosen is not None:
        offered = tuple(
            entry._replace(method=choices.complete_method(entry.method)) for entry in chosen
        )
        return SelectedMethods(offered, named=True)
    if n_models is not None and n_models < MIN_MODELS:
        return SelectedMethods((), named=False)
    methods: list[ChosenMethod[M]] = []
    left_out: list[NotApplicable] = []
    for name, kind in registry.items():
        info: MethodInfo = cast("Any", kind).info
        if info.by_request_only:
            continue
        method = choices.complete_method(kind())
        reason = explain_misfit(method, layout, n_models) or _explain_exclusion(method, layout)
        if reason is None:
            methods.append(ChosenMethod(name, name, method))
        else:
            left_out.append(NotApplicable(name=name, reason=reason, family=family))
    return SelectedMethods(tuple(methods), named=False, left_out=tuple(left_out))


def _explain_exclusion(method: Any, layout: Layout) -> str | None:
    """Return why a method that fits is not used by default, or None."""
    find_reason = getattr(method, "too_slow_by_default", None)
    reason: str | None = None if find_reason is None else find_reason(layout)
    return reason


def explain_misfit(method: Any, layout: Layout, n_models: int | None = None) -> str | None:
    """Return why a method of any family does not fit the layout, or None.

    Most methods assume that test parts do not overlap. For subsamples a method therefore fits only
    if its ``info`` lists them.
    """
    overlap = layout.kind is BlockKind.SUBSAMPLES
    if overlap and BlockKind.SUBSAMPLES not in method.info.blocks:
        fits = " or ".join(kind.value for kind in BlockKind if kind in method.info.blocks)
        return (
            f"{method.info.name} is for {fits} blocks, and these are {layout.kind.value}, whose "
            "test parts may overlap"
        )
    arguments = () if n_models is None else (n_models,)
    reason: str | None = method.inapplicable(layout, *arguments)
    return reason


REGISTRIES: Final[Mapping[str, Mapping[str, type[Any]]]] = {
    "variances": VARIANCES,
    "intervals": INTERVALS,
    "tests": PAIRED_TESTS,
    "omnibus": MULTIPLE_TESTS,
}
"""Registries by field of ``Choices``."""

EVERY_TEST: Final[Registry[type[Any]]] = Registry("tests", PAIRED_TESTS, MULTIPLE_TESTS)
"""Methods that ``tests`` of a request can name: paired tests and tests of all models at once."""


def split_by_family(
    variances: tuple[ChosenMethod[Any], ...] | None,
    intervals: tuple[ChosenMethod[Any], ...] | None,
    tests: tuple[ChosenMethod[Any], ...] | None,
) -> dict[str, Any]:
    """Return the named methods by field of ``Choices``; None takes all that apply.

    Methods that fit learners again, which may be among the variances and intervals, are left out.
    """
    named = {"variances": variances, "intervals": intervals, "tests": tests, "omnibus": tests}
    return {
        field: None
        if entries is None
        else tuple(entry for entry in entries if entry.name in REGISTRIES[field])
        for field, entries in named.items()
    }

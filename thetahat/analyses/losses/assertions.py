"""Assertions about two models, for tests: each passes only if the data show what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy.typing as npt

from thetahat.analyses.losses.choices import Gate
from thetahat.analyses.losses.entry_points import evaluate
from thetahat.analyses.losses.result import GateOutcome, GateResult, Requirement
from thetahat.values.types import BlockKind

ModelLosses: TypeAlias = "npt.ArrayLike | Sequence[npt.ArrayLike]"


def assert_not_worse(
    new: ModelLosses,
    old: ModelLosses,
    *,
    margin: float,
    names: tuple[str, str] = ("new", "old"),
    undecided: GateOutcome | str = GateOutcome.FAIL,
    **options: Any,
) -> GateResult:
    """Assert that a model is not worse than another by the margin or more.

    Parameters
    ----------
    new, old : array-like
        (n,) losses of the two models on the same test instances, in the same order; or one row of
        losses for each block, as in ``thetahat.evaluate``.
    margin : float
        Largest difference of the means that does not matter, in units of the losses.
    names : (str, str)
        What the two models are called in the sentence.
    undecided : GateOutcome or str
        ``fail`` raises where the data show neither this nor its opposite; ``pass`` lets it pass.
    **options
        Keyword arguments of ``thetahat.evaluate``, such as ``block``, ``cluster``, ``level`` and
        ``better="higher"`` for scores. Without ``block`` and ``blocks`` the instances are one
        test set. With ``cost`` also ``cheaper_by``: by what share the first must be cheaper.

    Returns
    -------
    GateResult
        The difference with its interval, and the sentence.

    Raises
    ------
    AssertionError
        It is not shown; the message is the sentence of the gate.
    EvaluationError
        The losses or an option are refused.
    """
    __tracebackhide__ = True
    return _assert(Requirement.NOT_WORSE, new, old, names, undecided, {"margin": margin, **options})


def assert_better(
    new: ModelLosses,
    old: ModelLosses,
    *,
    names: tuple[str, str] = ("new", "old"),
    undecided: GateOutcome | str = GateOutcome.FAIL,
    **options: Any,
) -> GateResult:
    """Assert that a model is better than another: its mean loss is lower, or its score higher.

    Parameters, result and errors are those of :func:`assert_not_worse`, without the margin.
    """
    __tracebackhide__ = True
    return _assert(Requirement.BETTER, new, old, names, undecided, options)


def assert_equivalent(
    new: ModelLosses,
    old: ModelLosses,
    *,
    margin: float,
    names: tuple[str, str] = ("new", "old"),
    undecided: GateOutcome | str = GateOutcome.FAIL,
    **options: Any,
) -> GateResult:
    """Assert that the means of two models differ by less than the margin.

    Parameters, result and errors are those of :func:`assert_not_worse`.
    """
    __tracebackhide__ = True
    return _assert(
        Requirement.EQUIVALENT, new, old, names, undecided, {"margin": margin, **options}
    )


def _assert(  # noqa: PLR0913 - the parameters of the three assertions
    require: Requirement,
    new: ModelLosses,
    old: ModelLosses,
    names: tuple[str, str],
    undecided: GateOutcome | str,
    options: dict[str, Any],
) -> GateResult:
    __tracebackhide__ = True  # the failure that pytest shows ends at the assertion
    if "blocks" not in options:
        kind = BlockKind.HOLDOUT if options.get("block") is None else BlockKind.SOURCE
        options = {**options, "blocks": kind}
    options = {**options}
    gate = Gate(
        cheaper_by=options.pop("cheaper_by", None),
        model=names[0],
        against=names[1],
        require=require,
        undecided=cast("GateOutcome", undecided),
    )
    result = evaluate({names[0]: new, names[1]: old}, gate=gate, **options).gate
    if result is None:
        raise RuntimeError("the evaluation has no gate")
    if result.outcome is not GateOutcome.PASS:
        raise AssertionError(str(result))
    return result

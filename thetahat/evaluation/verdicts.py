"""The answer in words: better, worse, equivalent, not worse, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scipy.special import ndtr, ndtri, stdtr, stdtrit

from thetahat.evaluation.corrections import adjust
from thetahat.evaluation.plain import number
from thetahat.evaluation.plans import Basis, plan
from thetahat.layout import Layout
from thetahat.types import Target

ORDER: Final = ("equivalent", "better", "worse", "not_worse")
"""Decisions in the order in which the first that holds is taken."""

_ON: Final = {
    Target.THESE_SOURCES: "on these sources",
    Target.NEW_SOURCE: "on a new source",
    Target.NEW_POPULATION: "on the new population",
    Target.THESE_MODELS: "as fitted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of one pair, and what there is to answer it with.

    Parameters
    ----------
    a, b : str
        Model names.
    basis : Basis or None
        None where no interval could be built.
    constant : float or None
        The difference where it is the same for every unit.
    n_units : int
        Number of those units.
    """

    a: str
    b: str
    basis: Basis | None
    constant: float | None
    n_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all pairs of one evaluation are judged by.

    Parameters
    ----------
    level, margin, correction, power : see Choices
        Confidence level, margin or None, correction of p-values, power of plans.
    layout : Layout
        What the data are now.
    higher_is_better : bool
        Whether the numbers are scores; differences are of losses even then.
    """

    level: float
    margin: float | None
    correction: str
    power: float
    layout: Layout
    higher_is_better: bool = False

    @property
    def alpha(self) -> float:
        """1 - level."""
        return 1 - self.level


@dataclass(frozen=True, slots=True)
class Evidence:
    """p-values of the three null hypotheses of one pair; None where there is no answer.

    Parameters
    ----------
    difference : float or None
        Of d = 0, two-sided.
    equivalence : float or None
        Of |d| >= margin, the larger of two one-sided tests.
    not_worse : float or None
        Of d >= margin.
    """

    difference: float | None
    equivalence: float | None = None
    not_worse: float | None = None


def evidence(question: Question, margin: float | None) -> Evidence:
    r"""Weigh one pair, uncorrected.

    With d the difference, s its standard error and F the t (or normal) distribution function,

    .. math::
        p = 2 F(-|d| / s), \quad
        p_\text{equivalence} = F(-(\Delta - |d|) / s), \quad
        p_\text{not worse} = F((d - \Delta) / s)

    so that p < alpha says the same as "the 1 - alpha interval excludes 0", the second "the
    1 - 2 alpha interval lies inside the margins", and the third "the one-sided upper 1 - alpha
    bound lies below the margin".

    Degenerate cases: where every difference is the same number there is no spread and no
    interval. If that number is 0 the models are the same in everything seen: d = 0 is certain, and
    so are the statements about a margin. If not, what can be said of its sign is the exact sign
    test, p = 2^(1 - n); nothing is said about a margin.
    """
    basis = question.basis
    if question.constant == 0:
        return Evidence(1.0, None if margin is None else 0.0, None if margin is None else 0.0)
    if basis is None:
        constant = question.constant is not None
        return Evidence(2.0 ** (1 - min(question.n_units, 1000)) if constant else None)
    d, s = basis.difference, basis.standard_error
    p = 2 * _below(-abs(d) / s, basis.degrees_of_freedom)
    if margin is None:
        return Evidence(p)
    return Evidence(
        p,
        _below(-(margin - abs(d)) / s, basis.degrees_of_freedom),
        _below((d - margin) / s, basis.degrees_of_freedom),
    )


def judge(questions: Sequence[Question], terms: Terms) -> list[dict[str, Any]]:
    """Return one verdict per pair.

    With several pairs each of the three p-values is corrected over the pairs by the same
    correction, and a statement holds where the adjusted value is below alpha: that is "alpha is
    adjusted first" with every statement at the step of its own family. (To take the step of the
    difference test for the equivalence statement too would not bound false equivalences.)
    """
    raw = [evidence(question, terms.margin) for question in questions]
    if len(raw) == 1:
        return [_verdict(questions[0], terms, raw[0], raw[0], 1)]
    families = (
        adjust([e.difference for e in raw], terms.correction),
        adjust([e.equivalence for e in raw], terms.correction),
        adjust([e.not_worse for e in raw], terms.correction),
    )
    return [
        _verdict(question, terms, e, Evidence(*adjusted), len(raw))
        for question, e, adjusted in zip(questions, raw, zip(*families, strict=True), strict=True)
    ]


def _verdict(
    question: Question, terms: Terms, raw: Evidence, adjusted: Evidence, n_pairs: int
) -> dict[str, Any]:
    holding = _holding(question, adjusted, terms.alpha)
    decision = holding[0] if holding else "undecided"
    basis = question.basis
    the_plan, plan_reason = _plan_of(question, terms, n_pairs) if not holding else (None, None)
    return {
        "decision": decision,
        "also": holding[1:],
        "margin": terms.margin,
        "target": None if basis is None else basis.target.value,
        "method": _method_of(question),
        "variance": None if basis is None else basis.variance,
        "p_value": raw.difference,
        "p_value_adjusted": None if n_pairs == 1 else adjusted.difference,
        "reason": _reason(decision, question, terms, raw, adjusted, n_pairs),
        "plan": the_plan,
        "plan_reason": plan_reason,
    }


def _holding(question: Question, adjusted: Evidence, alpha: float) -> list[str]:
    differs = _under(adjusted.difference, alpha)
    d = question.constant if question.basis is None else question.basis.difference
    holds = {
        "equivalent": _under(adjusted.equivalence, min(alpha, 0.5)),
        "better": differs and d is not None and d < 0,
        "worse": differs and d is not None and d > 0,
        "not_worse": _under(adjusted.not_worse, alpha),
    }
    return [decision for decision in ORDER if holds[decision]]


def _under(p_value: float | None, alpha: float) -> bool:
    return p_value is not None and p_value < alpha


def _method_of(question: Question) -> str | None:
    if question.basis is not None:
        return question.basis.method
    return None if question.constant in (None, 0) else "sign"


def _plan_of(
    question: Question, terms: Terms, n_pairs: int
) -> tuple[dict[str, Any] | None, str | None]:
    if question.basis is None or question.constant is not None:
        return None, "there is no estimate of the variance to plan with"
    # The strictest step of a stepwise correction: the plan errs towards more.
    steps = 1 if terms.correction == "none" else n_pairs
    return plan(
        question.basis,
        terms.layout,
        alpha=terms.alpha / steps,
        power=terms.power,
        margin=terms.margin,
    )


def _below(statistic: float, degrees_of_freedom: float | None) -> float:
    if degrees_of_freedom is None:
        return float(ndtr(statistic))
    return float(stdtr(degrees_of_freedom, statistic))


def _reason(  # noqa: PLR0913 - a sentence needs all its numbers
    decision: str,
    question: Question,
    terms: Terms,
    raw: Evidence,
    adjusted: Evidence,
    n_pairs: int,
) -> str:
    a, b, basis = question.a, question.b, question.basis
    if question.constant is not None:
        return _constant_reason(decision, question, terms)
    if basis is None:
        return (
            f"{a} and {b} cannot be told apart: no interval of their difference could be built, "
            "see the cautions of the variances"
        )
    where = _ON[basis.target]
    after = _after(decision, terms, raw, adjusted, n_pairs)
    how = _how(basis)
    if decision in ("better", "worse"):
        sign = -1.0 if decision == "better" else 1.0
        ends = sorted(sign * end for end in _ends(basis, terms.alpha / 2))
        lower_or_higher = "lower" if (decision == "better") != terms.higher_is_better else "higher"
        number_of = "score" if terms.higher_is_better else "loss"
        return (
            f"{a} is {decision} than {b} {where}: its mean {number_of} is {lower_or_higher} by "
            f"{number(abs(basis.difference))} ({_percent(terms.level)} interval "
            f"{number(ends[0])} to {number(ends[1])}, {how}{after})"
        )
    margin = 0.0 if terms.margin is None else terms.margin
    low, high = _ends(basis, terms.alpha)
    if decision == "equivalent":
        return (
            f"{a} and {b} are equivalent {where} within a margin of {number(margin)}: the "
            f"{_percent(1 - 2 * terms.alpha)} interval of their difference, {number(low)} to "
            f"{number(high)}, lies inside it ({how}{after})"
        )
    if decision == "not_worse":
        return (
            f"{a} is not worse than {b} {where} by more than {number(margin)}: the one-sided "
            f"upper {_percent(terms.level)} bound of the difference is {number(high)} "
            f"({how}{after})"
        )
    return _undecided(question, basis, terms, after)


def _undecided(question: Question, basis: Basis, terms: Terms, after: str) -> str:
    low, high = _ends(basis, terms.alpha / 2)
    start = (
        f"{question.a} and {question.b} cannot be told apart {_ON[basis.target]}: the difference "
        f"is {number(basis.difference)}, and its {_percent(terms.level)} interval, {number(low)} "
        f"to {number(high)} ({_how(basis)}{after}), "
    )
    if not low <= 0 <= high:
        return f"{start}excludes 0, but not after the correction for several pairs"
    if terms.margin is None:
        return f"{start}includes 0"
    return f"{start}includes 0, and a margin of {number(terms.margin)} cannot be ruled out either"


def _constant_reason(decision: str, question: Question, terms: Terms) -> str:
    a, b, constant = question.a, question.b, question.constant or 0.0
    if constant == 0:
        same = f"the losses of {a} and {b} are identical"
        if decision == "equivalent":
            return f"{same}, so they are equivalent within any margin"
        return f"{same}, so nothing tells them apart"
    every = f"every one of the {question.n_units} differences is {number(constant)}"
    if decision == "undecided":
        return (
            f"{every}: without spread there is no interval, and they are too few to go by the sign"
        )
    return (
        f"{a} is {decision} than {b}: {every}; without spread there is no interval, and the exact "
        f"sign test decides at level {_percent(terms.level)}"
    )


def _ends(basis: Basis, tail: float) -> tuple[float, float]:
    nu = basis.degrees_of_freedom
    quantile = float(ndtri(1 - tail) if nu is None else stdtrit(nu, 1 - tail))
    return (
        basis.difference - quantile * basis.standard_error,
        basis.difference + quantile * basis.standard_error,
    )


def _how(basis: Basis) -> str:
    on = basis.method if basis.variance is None else f"{basis.method} on {basis.variance}"
    if basis.degrees_of_freedom is None:
        return on
    return f"{on}, {number(basis.degrees_of_freedom)} degrees of freedom"


def _after(decision: str, terms: Terms, raw: Evidence, adjusted: Evidence, n_pairs: int) -> str:
    field = {"equivalent": "equivalence", "not_worse": "not_worse"}.get(decision, "difference")
    p, q = getattr(raw, field), getattr(adjusted, field)
    if n_pairs == 1 or terms.correction == "none":
        return f"; p = {number(p)}"
    return f"; p = {number(p)}, {number(q)} after {terms.correction} over {n_pairs} pairs"


def _percent(level: float) -> str:
    return f"{100 * level:.6g} %"

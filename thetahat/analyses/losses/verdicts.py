"""The answer in words: better, worse, equivalent, not worse, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from thetahat.analyses.losses.evidence import Evidence, Question, Terms, evidence
from thetahat.analyses.losses.plans import plan
from thetahat.analyses.losses.power import detectable_difference, power_of
from thetahat.analyses.losses.verdict_text import reason_of
from thetahat.corrections.corrections import adjust, for_bounds

ORDER: Final = ("equivalent", "better", "worse", "not_worse")
"""Decisions in the order in which the first that holds is taken."""


def judge(questions: Sequence[Question], terms: Terms) -> list[dict[str, Any]]:
    """Return one verdict per pair.

    With several pairs each of the three p-values is corrected over the pairs by the same
    correction, and a statement holds where the adjusted value is below alpha: that is "alpha is
    adjusted first" with every statement at the step of its own family. (To take the step of the
    difference test for the equivalence statement too would not bound false equivalences.) A
    correction that rests on the transitivity of equality gives way to Holm's for the other two.
    """
    raw = [evidence(question, terms.margin) for question in questions]
    if len(raw) == 1:
        return [_verdict(questions[0], terms, raw[0], raw[0], 1)]
    families = (
        adjust([e.difference for e in raw], terms.correction),
        adjust([e.equivalence for e in raw], for_bounds(terms.correction)),
        adjust([e.not_worse for e in raw], for_bounds(terms.correction)),
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
    alpha = _planning_alpha(terms, n_pairs)
    first: dict[str, Any] = {"decision": decision, "also": holding[1:]}
    last = {
        "p_value": raw.difference,
        "p_value_adjusted": None if n_pairs == 1 else adjusted.difference,
        "reason": reason_of(decision, question, terms, raw, adjusted, n_pairs),
    }
    if terms.in_brief:
        return first | last
    the_plan, plan_reason = _plan_of(question, terms, alpha) if not holding else (None, None)
    return {
        **first,
        "margin": terms.margin,
        "target": None if basis is None else basis.target.value,
        "method": _method_of(question),
        "variance": None if basis is None else basis.variance,
        **last,
        "plan": the_plan,
        "plan_reason": plan_reason,
        "detectable": _detectable(question, terms, alpha),
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


def _planning_alpha(terms: Terms, n_pairs: int) -> float:
    """Return alpha at the strictest step of a stepwise correction: plans err towards more."""
    return terms.alpha if terms.correction == "none" else terms.alpha / n_pairs


def _plan_of(
    question: Question, terms: Terms, alpha: float
) -> tuple[dict[str, Any] | None, str | None]:
    if question.basis is None or question.constant is not None:
        return None, "there is no estimate of the variance to plan with"
    return plan(question.basis, terms.layout, alpha=alpha, power=terms.power, margin=terms.margin)


def _detectable(question: Question, terms: Terms, alpha: float) -> dict[str, Any] | None:
    """Return the smallest difference that data like these find, and how well they find the margin.

    It says how much an undecided verdict is worth: a difference above it would probably have
    been seen.
    """
    basis = question.basis
    if basis is None or question.constant is not None:
        return None
    error, degrees = basis.standard_error, basis.degrees_of_freedom
    return {
        "difference": detectable_difference(error, degrees, alpha, terms.power),
        "power": terms.power,
        "alpha": alpha,
        "power_at_margin": None
        if terms.margin is None
        else power_of(terms.margin, error, degrees, alpha),
    }

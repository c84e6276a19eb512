"""Verdicts on pairs of models: better, worse, equivalent, not worse, or undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from thetahat.analyses.losses.evidence import Evidence, PairQuestion, VerdictTerms, compute_evidence
from thetahat.analyses.losses.plans import plan
from thetahat.analyses.losses.result import Decision, Detectable, Plan, Verdict
from thetahat.analyses.losses.verdict_text import write_reason
from thetahat.corrections import CORRECTIONS, adjust, choose_correction_of_bounds
from thetahat.paired_tests.sign import Sign
from thetahat.values.types import Target

ORDER: Final = (Decision.EQUIVALENT, Decision.BETTER, Decision.WORSE, Decision.NOT_WORSE)
"""Decisions in the order in which the first that holds is taken."""


Adjust = Callable[[Sequence[float | None]], list[float | None]]
"""Corrects the two-sided p-values of all pairs."""


def judge(
    questions: Sequence[PairQuestion], terms: VerdictTerms, adjust_differences: Adjust | None = None
) -> list[Verdict]:
    """Return one verdict per pair, with a plan where it is undecided.

    With several pairs each of the three p-values is corrected over the pairs by the same
    correction, and a statement holds where the adjusted value is below alpha. Each of the three
    families of statements is corrected by itself: the adjusted level of the difference test would
    not bound false statements of equivalence. A correction that uses the transitivity of equality
    is replaced by Holm's for equivalence and for "not worse"; so is one for comparisons with the
    best model, whose search does not make such a statement easier.

    ``adjust_differences`` corrects the p-values of no difference, where the correction needs more
    than them.
    """
    raw = compute_all_evidence(questions, terms)
    if len(raw) == 1:
        return [_decide(questions[0], terms, raw[0], raw[0], 1)]
    differences = [e.difference for e in raw]
    families = (
        adjust(differences, terms.correction)
        if adjust_differences is None
        else adjust_differences(differences),
        adjust([e.equivalence for e in raw], choose_correction_of_bounds(terms.correction)),
        adjust([e.not_worse for e in raw], choose_correction_of_bounds(terms.correction)),
    )
    return [
        _decide(question, terms, e, Evidence(*adjusted), len(raw))
        for question, e, adjusted in zip(questions, raw, zip(*families, strict=True), strict=True)
    ]


def compute_all_evidence(questions: Sequence[PairQuestion], terms: VerdictTerms) -> list[Evidence]:
    """Return the p-values of all pairs, not corrected."""
    return [
        compute_evidence(question, terms.margin, higher_is_better=terms.higher_is_better)
        for question in questions
    ]


def _decide(
    question: PairQuestion, terms: VerdictTerms, raw: Evidence, adjusted: Evidence, n_pairs: int
) -> Verdict:
    holding = _list_conclusions(question, adjusted, terms)
    decision = holding[0] if holding else Decision.UNDECIDED
    basis, alpha = question.basis, _compute_planning_alpha(terms, n_pairs)
    undecided = decision is Decision.UNDECIDED
    the_plan, plan_reason = _make_plan(question, terms, alpha) if undecided else (None, None)
    return Verdict(
        decision=decision,
        also=tuple(holding[1:]),
        p_value=raw.difference,
        p_value_adjusted=None if n_pairs == 1 else adjusted.difference,
        reason=write_reason(decision, holding[1:], question, terms, raw, adjusted, n_pairs),
        p_value_equivalent=raw.equivalence,
        p_value_equivalent_adjusted=None if n_pairs == 1 else adjusted.equivalence,
        p_value_not_worse=raw.not_worse,
        p_value_not_worse_adjusted=None if n_pairs == 1 else adjusted.not_worse,
        margin=terms.margin,
        target=_choose_target(question, raw),
        method=_choose_method(question),
        variance=None if basis is None else basis.variance,
        plan=the_plan,
        plan_reason=plan_reason,
        detectable=_find_detectable_difference(question, terms, alpha),
    )


def _list_conclusions(
    question: PairQuestion, adjusted: Evidence, terms: VerdictTerms
) -> list[Decision]:
    alpha = terms.alpha
    differs = _is_below(adjusted.difference, alpha)
    d = question.constant if question.basis is None else question.basis.difference
    a_is_better = d is not None and (d > 0 if terms.higher_is_better else d < 0)
    b_is_better = d is not None and (d < 0 if terms.higher_is_better else d > 0)
    holds = {
        Decision.EQUIVALENT: _is_below(adjusted.equivalence, min(alpha, 0.5)),
        Decision.BETTER: differs and a_is_better,
        Decision.WORSE: differs and b_is_better,
        Decision.NOT_WORSE: _is_below(adjusted.not_worse, alpha),
    }
    return [decision for decision in ORDER if holds[decision]]


def _is_below(p_value: float | None, alpha: float) -> bool:
    return p_value is not None and p_value < alpha


def _choose_method(question: PairQuestion) -> str | None:
    if question.basis is not None:
        return question.basis.method
    return None if question.constant in (None, 0) else Sign.info.name


def _choose_target(question: PairQuestion, raw: Evidence) -> Target | None:
    if question.basis is not None:
        return question.basis.target
    if question.identical is None or raw.equivalence is None:
        return None
    return question.identical.target


def _compute_planning_alpha(terms: VerdictTerms, n_pairs: int) -> float:
    """Return alpha at the strictest step of a correction; plans may then ask for too much data."""
    traits = CORRECTIONS[terms.correction].info.correction
    if traits.uses_joint_distribution:
        return terms.interval_alpha
    return terms.alpha / n_pairs if traits.corrects else terms.alpha


def _make_plan(
    question: PairQuestion, terms: VerdictTerms, alpha: float
) -> tuple[Plan | None, str | None]:
    if question.basis is None:
        return None, "There is no estimate of the variance to plan with."
    return plan(question.basis, terms.layout, alpha=alpha, power=terms.power, margin=terms.margin)


def _find_detectable_difference(
    question: PairQuestion, terms: VerdictTerms, alpha: float
) -> Detectable | None:
    """Return the smallest difference that such data detect, and their power at the margin.

    A larger true difference would probably have been detected, so this bounds what an undecided
    verdict can hide.
    """
    basis = question.basis
    if basis is None:
        return None
    difference = basis.find_detectable_difference(alpha, terms.power)
    if difference is None:
        return None
    return Detectable(
        difference=difference,
        power=terms.power,
        alpha=alpha,
        power_at_margin=None if terms.margin is None else basis.compute_power(terms.margin, alpha),
    )

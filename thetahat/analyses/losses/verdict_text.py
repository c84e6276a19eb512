"""A verdict's reason, in words and with its numbers."""

from __future__ import annotations

from typing import Final

from scipy.special import ndtri, stdtrit

from thetahat.analyses.losses.evidence import Evidence, Question, Terms
from thetahat.analyses.losses.plans import Basis
from thetahat.corrections import CORRECTIONS, correction_of_bounds
from thetahat.values.json_values import number
from thetahat.values.types import BlockKind, Target

_ON: Final = {
    Target.THESE_SOURCES: "on data like these",
    Target.NEW_SOURCE: "on a new source",
    Target.NEW_POPULATION: "on the new population",
    Target.THESE_MODELS: "as fitted",
}


def reason_of(  # noqa: PLR0913 - a sentence needs all its numbers
    decision: str,
    question: Question,
    terms: Terms,
    raw: Evidence,
    adjusted: Evidence,
    n_pairs: int,
) -> str:
    """Return a sentence for people; its numbers are of the uncorrected two-sided interval.

    Parameters
    ----------
    decision : str
        What was decided.
    question, terms : Question, Terms
        Of the pair, and of all pairs.
    raw, adjusted : Evidence
        p-values before and after the correction.
    n_pairs : int
        What was corrected for.
    """
    a, b, basis = question.a, question.b, question.basis
    if question.constant is not None:
        return _constant_reason(decision, question, terms)
    if basis is None:
        return (
            f"{a} and {b} cannot be told apart: no interval of their difference could be built, "
            "see the cautions of the variances"
        )
    where = _where(basis, terms)
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
        f"{question.a} and {question.b} cannot be told apart {_where(basis, terms)}: the "
        f"difference is {number(basis.difference)}, and its {_percent(terms.level)} "
        f"interval, {number(low)} to {number(high)} ({_how(basis)}{after}), "
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


def _where(basis: Basis, terms: Terms) -> str:
    if basis.target is Target.THESE_SOURCES and terms.layout.kind is BlockKind.SOURCE:
        return "on these sources"
    return _ON[basis.target]


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
    if n_pairs == 1 or not CORRECTIONS[terms.correction].info.correction.corrects:
        return f"; p = {number(p)}"
    used = terms.correction if field == "difference" else correction_of_bounds(terms.correction)
    return f"; p = {number(p)}, {number(q)} after {used} over {n_pairs} pairs"


def _percent(level: float) -> str:
    return f"{100 * level:.6g} %"

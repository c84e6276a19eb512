"""A verdict in words, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.analyses.losses.evidence import Evidence, PairQuestion, VerdictTerms
from thetahat.analyses.losses.identical_losses import IdenticalUnits
from thetahat.analyses.losses.result import Decision
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.corrections import CORRECTIONS, choose_correction_of_bounds
from thetahat.values.layout import Layout
from thetahat.values.number_text import (
    format_alike,
    format_count,
    format_number,
    format_p_value,
    format_percent,
    format_to_error,
)
from thetahat.values.types import BlockKind, Target

_SCOPES: Final = {
    Target.THESE_SOURCES: "On data like these",
    Target.NEW_POPULATION: "For the new population",
    Target.THESE_MODELS: "As trained",
}


def write_reason(  # noqa: PLR0913 - a sentence needs all its numbers
    decision: Decision,
    also: Sequence[Decision],
    question: PairQuestion,
    terms: VerdictTerms,
    raw: Evidence,
    adjusted: Evidence,
    n_pairs: int,
) -> str:
    """Return the verdict as one or two sentences, with the interval and p-value as corrected.

    Parameters
    ----------
    decision : Decision
        What was decided.
    also : sequence of Decision
        What holds besides.
    question, terms : PairQuestion, VerdictTerms
        The pair with its interval, and the options that all pairs share.
    raw, adjusted : Evidence
        p-values before and after the correction.
    n_pairs : int
        Number of pairs that were corrected for.
    """
    if question.is_identical:
        return _write_for_identical(decision, question, terms, raw, adjusted, n_pairs)
    basis = question.basis
    if question.constant is not None and basis is None:
        return _write_for_constant(decision, question, terms)
    if basis is None:
        return (
            f"It is not clear which of {question.a} and {question.b} is better, because there is "
            "no interval of their difference. Either the request names no method for it, or the "
            "cautions of the variances say why none could be built."
        )
    scope = describe_scope(basis.target, terms.layout)
    p_value = _format_p_value(decision, terms, raw, adjusted, n_pairs)
    if decision in {Decision.BETTER, Decision.WORSE}:
        return f"{scope}, {_write_better_or_worse(decision, question, basis, terms, p_value)}"
    if decision in {Decision.EQUIVALENT, Decision.NOT_WORSE} and n_pairs > 1:
        return f"{scope}, {_write_bound_of_several(decision, question, basis, terms, p_value)}"
    if decision is Decision.EQUIVALENT:
        low, high = _format_interval(basis, terms.alpha)
        return (
            f"{scope}, {question.a} and {question.b} are equivalent within a margin of "
            f"{format_number(terms.margin or 0.0)}: the {format_percent(1 - 2 * terms.alpha)} "
            f"interval of their difference, {low} to {high}, lies inside it ({p_value})"
            f"{_write_smaller_difference(question, terms, also)}."
        )
    if decision is Decision.NOT_WORSE:
        low, high = _format_interval(basis, terms.alpha)
        bound = f"above {low}" if terms.higher_is_better else f"below {high}"
        return (
            f"{scope}, {question.a} is not worse than {question.b} by more than "
            f"{format_number(terms.margin or 0.0)}: with {format_percent(terms.level)} confidence "
            f"the difference is {bound} ({p_value})."
        )
    return f"{scope}, {_write_undecided(question, basis, terms, p_value)}"


def _write_smaller_difference(
    question: PairQuestion, terms: VerdictTerms, also: Sequence[Decision]
) -> str:
    """Return the clause for a difference that is shown, and shown to be below the margin."""
    shown = next((d for d in also if d in {Decision.BETTER, Decision.WORSE}), None)
    if shown is None:
        return ""
    subject, word, _ = _order_models(shown, question, terms)
    return f"; {subject} is {word}, by less than the margin"


def _order_models(
    decision: Decision, question: PairQuestion, terms: VerdictTerms
) -> tuple[str, str, str]:
    """Return a model, whether it is better or worse, and the other one.

    The better one is the subject, but beside a control it is the model that is not the control.
    """
    if decision is Decision.WORSE and terms.control is None:
        return question.b, Decision.BETTER.value, question.a
    return question.a, decision.value, question.b


def _write_better_or_worse(
    decision: Decision,
    question: PairQuestion,
    basis: VerdictBasis,
    terms: VerdictTerms,
    p_value: str,
) -> str:
    subject, word, other = _order_models(decision, question, terms)
    is_higher = (basis.difference > 0) == (subject == question.a)
    sign = 1.0 if basis.difference > 0 else -1.0
    low, high = sorted(sign * end for end in basis.compute_ends(terms.interval_alpha / 2))
    size, *written = format_alike([abs(basis.difference), low, high], basis.standard_error)
    ends = " to ".join(written)
    reaches = (
        ""
        if low > 0 or terms.interval_alpha == terms.alpha
        else " The interval reaches 0, because it holds for all pairs at once; step by step the "
        "correction finds more."
    )
    return (
        f"{subject} is {word} than {other}: its mean {terms.layout.words.value} is "
        f"{'higher' if is_higher else 'lower'} by {size} "
        f"({format_percent(terms.level)} interval {ends}, {p_value}).{reaches}"
    )


def _write_bound_of_several(
    decision: Decision,
    question: PairQuestion,
    basis: VerdictBasis,
    terms: VerdictTerms,
    p_value: str,
) -> str:
    """Return a statement about the margin on one of several pairs: the interval is for one pair."""
    margin = format_number(terms.margin or 0.0)
    size = format_to_error(basis.difference, basis.standard_error)
    if decision is Decision.EQUIVALENT:
        start = f"{question.a} and {question.b} are equivalent within a margin of {margin}"
    else:
        start = f"{question.a} is not worse than {question.b} by more than {margin}"
    return f"{start}: the difference is {size} ({p_value}, for one as large as the margin)."


def _write_undecided(
    question: PairQuestion, basis: VerdictBasis, terms: VerdictTerms, p_value: str
) -> str:
    low, high = basis.compute_ends(terms.interval_alpha / 2)
    size, *written = format_alike([basis.difference, low, high], basis.standard_error)
    ends = " to ".join(written)
    start = (
        f"it is not clear which of {question.a} and {question.b} is better: the difference "
        f"is {size} ({format_percent(terms.level)} interval {ends}, {p_value})."
    )
    if not low <= 0 <= high:
        return f"{start} The interval leaves out 0, but it is not corrected for several pairs."
    if terms.margin is None:
        return start
    fits = f"{start} The data fit no difference at all, and also one of "
    margin = format_number(terms.margin)
    if basis.why_longer_at_margins and max(-low, high) < terms.margin:
        return f"{fits}{margin}, since {basis.why_longer_at_margins}."
    return f"{fits}{margin}."


def _write_for_identical(  # noqa: PLR0913 - a sentence needs all its numbers
    decision: Decision,
    question: PairQuestion,
    terms: VerdictTerms,
    raw: Evidence,
    adjusted: Evidence,
    n_pairs: int,
) -> str:
    values, identical = terms.layout.words.values, question.identical
    how = "differ only by rounding" if question.is_rounded else "are identical"
    if question.is_of_means:
        values, how = f"mean {values}", "are equal"
    same = f"The {values} of {question.a} and {question.b} {how}"
    if terms.margin is None or identical is None:
        return f"{same}, so there is no better one."
    where = (
        f"on all {format_count(identical.n_units)} {identical.noun.plural}"
        if identical.n_units > 1
        else f"on the only {identical.noun.singular}"
    )
    bound = identical.compute_bound(terms.alpha)
    if bound is None:
        return (
            f"{same} {where}, so there is no better one. They have no spread and no known range, "
            "so nothing bounds how far the models could differ on other data; the range option "
            "gives the smallest and the largest possible value."
        )
    p_value = _format_p_value(Decision.EQUIVALENT, terms, raw, adjusted, n_pairs)
    margin = format_number(terms.margin)
    counted = _write_independent(identical)
    limit = (
        f"with {format_percent(terms.level)} confidence the means differ by less than "
        f"{format_number(bound)}{counted}"
    )
    if decision is Decision.EQUIVALENT:
        return f"{same} {where}: {limit}, so they are equivalent within {margin} ({p_value})."
    enough = identical.count_enough(terms.margin, terms.alpha) if n_pairs == 1 else None
    more = (
        ""
        if enough is None or enough <= identical.n_units
        else f" It would take {format_count(enough)} {identical.noun.plural} without a difference."
    )
    return (
        f"{same} {where}, so there is no better one; {limit}. That does not show that they are "
        f"equivalent within {margin} ({p_value}).{more}"
    )


def _write_independent(identical: IdenticalUnits) -> str:
    if identical.n_independent == identical.n_units:
        return ""
    n, units = format_number(identical.n_independent), identical.noun.plural
    return f" (as many as {n} independent {units} show)"


def _write_for_constant(decision: Decision, question: PairQuestion, terms: VerdictTerms) -> str:
    a, b, constant = question.a, question.b, question.constant or 0.0
    n = question.n_units
    each = "the only difference is" if n == 1 else f"each of the {n} differences is"
    if question.is_of_means and question.identical is not None:
        each = f"on each of the {n} {question.identical.noun.plural} the mean difference is"
    every = f"{each} {format_number(constant)}"
    if decision is Decision.UNDECIDED:
        return (
            f"It is not clear which of {a} and {b} is better: {every}. Without spread there "
            "is no interval, and there are too few differences for a decision by their sign."
        )
    subject, word, other = _order_models(decision, question, terms)
    if subject == b:
        every = f"{each} {format_number(-constant)}"
    return (
        f"{subject} is {word} than {other}: {every}. Without spread there is no interval, and the "
        f"exact sign test decides at the level of {format_percent(1 - terms.level)}."
    )


def describe_scope(target: Target | None, layout: Layout) -> str:
    """Return what a statement is about, as the beginning of a sentence; empty for None."""
    words = layout.words
    if target is None:
        return ""
    if target is Target.NEW_SOURCE:
        return f"For a new {words.block}"
    if target is Target.THESE_SOURCES and layout.kind is BlockKind.SOURCE:
        return f"On these {words.blocks}"
    return _SCOPES[target]


def _format_interval(basis: VerdictBasis, tail: float) -> tuple[str, str]:
    low, high = format_alike(basis.compute_ends_of_margin(tail), basis.standard_error)
    return low, high


def _format_p_value(
    decision: Decision, terms: VerdictTerms, raw: Evidence, adjusted: Evidence, n_pairs: int
) -> str:
    field = {Decision.EQUIVALENT: "equivalence", Decision.NOT_WORSE: "not_worse"}.get(
        decision, "difference"
    )
    p, q = getattr(raw, field), getattr(adjusted, field)
    if n_pairs == 1 or not CORRECTIONS[terms.correction].info.correction.corrects:
        return format_p_value(p, terms.alpha)
    used, corrected_for = terms.correction, terms.n_pairs or n_pairs
    if field != "difference":
        used, corrected_for = choose_correction_of_bounds(used), n_pairs
    # The result has the name of its correction once; of another one it is said here.
    by = "" if used == terms.correction else f" by {CORRECTIONS[used].info.title}"
    return f"{format_p_value(q, terms.alpha)} corrected for {corrected_for} pairs{by}"

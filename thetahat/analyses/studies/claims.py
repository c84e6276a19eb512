"""Claims of a source as rows of data, and the one rule that judges them.

A ``ClaimRow`` holds a sentence of a source, the quantity of the study that decides it, and the
bounds within which that quantity must lie. A ``ClaimCase`` is one setting of the study in which
the sentence is judged: a sample size, a classifier, a row of a table. It has the numbers of the
quantities. ``judge`` judges every row in every case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from thetahat.analyses.studies.result import ClaimVerdict, StudyClaim
from thetahat.values.monte_carlo_number import MonteCarloNumber

MOST_TIMES: Final = 100
"""Above this many times as many repetitions, a sentence does not count them."""
Z: Final = 3.0
"""Standard errors by which a number must be inside or outside its bounds to decide a claim. A true
claim whose number lies exactly at a bound fails once in 741 studies."""

Q = TypeVar("Q")
Q_co = TypeVar("Q_co", covariant=True)
Q_contra = TypeVar("Q_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class RelativeBound:
    """A bound that depends on the case: ``times * fields[field] + plus``."""

    field: str
    plus: float = 0.0
    times: float = 1.0

    def value(self, fields: Mapping[str, str | float]) -> float:
        """Return the bound in one case."""
        return self.times * float(fields[self.field]) + self.plus


Bound: TypeAlias = float | RelativeBound | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow(Generic[Q_co]):
    """A sentence of a source, with the quantity and the bounds that decide it."""

    sentence: str
    """The claim, in the sense of the source. It may name fields of the case in braces."""
    reference: str
    """Key of ``thetahat.references.REFERENCES``; empty for a rule of this software."""
    place: str
    """Where the source makes the claim, such as ``Figure 2`` or ``section 4.1``."""
    quantity: Q_co
    """What decides the claim: the name of a statistic, or cells of a table."""
    measured: str
    """What the quantity is, in words. It may name fields of the case in braces."""
    at_least: Bound = None
    at_most: Bound = None
    """The bounds; None if there is none."""
    fewest_repetitions: int = 0
    """With fewer repetitions (the case's field ``repetitions``) the claim is undecided, because the
    Monte-Carlo error cannot be trusted yet."""
    can_hold_early: bool = False
    """Whether the claim may nevertheless hold, but not fail, with fewer repetitions."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a source, where it makes one or more claims."""

    reference: str
    place: str
    """Both as in ``ClaimRow``."""

    def claim(  # noqa: PLR0913 - the parts of a row
        self,
        sentence: str,
        quantity: Q,
        measured: str,
        *,
        at_least: Bound = None,
        at_most: Bound = None,
        within: tuple[float, float] | None = None,
        fewest_repetitions: int = 0,
        can_hold_early: bool = False,
    ) -> ClaimRow[Q]:
        """Return a claim of this passage; ``within`` is ``at_least`` and ``at_most`` in one."""
        if within is not None:
            at_least, at_most = within
        return ClaimRow(
            sentence=sentence,
            reference=self.reference,
            place=self.place,
            quantity=quantity,
            measured=measured,
            at_least=at_least,
            at_most=at_most,
            fewest_repetitions=fewest_repetitions,
            can_hold_early=can_hold_early,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ClaimCase(Generic[Q_contra]):
    """One setting of a study in which claims are judged."""

    get_number: Callable[[Q_contra], MonteCarloNumber | None]
    """Returns the number of a quantity; None if the quantity does not exist in this case."""
    fields: Mapping[str, str | float]
    """What fills the braces of sentences, and what relative bounds refer to."""


def judge(rows: Iterable[ClaimRow[Q]], cases: Iterable[ClaimCase[Q]]) -> tuple[StudyClaim, ...]:
    """Judge every row in every case, case by case; rows without a number in a case are left out."""
    rows = tuple(rows)
    judged = (_judge_row(row, case) for case in cases for row in rows)
    return tuple(claim for claim in judged if claim is not None)


def _judge_row(row: ClaimRow[Q], case: ClaimCase[Q]) -> StudyClaim | None:
    number, fields = case.get_number(row.quantity), case.fields
    if number is None:
        return None
    at_least, at_most = _resolve_bound(row.at_least, fields), _resolve_bound(row.at_most, fields)
    verdict = decide(number, at_least=at_least, at_most=at_most)
    is_early = bool(row.fewest_repetitions) and _count_repetitions(fields) < row.fewest_repetitions
    if is_early and not (row.can_hold_early and verdict == "holds"):
        number, verdict = MonteCarloNumber(number.value, None), "undecided"
    because = None
    if is_early and verdict == "undecided":
        because = f"The study has fewer than {row.fewest_repetitions} repetitions."
    elif verdict == "undecided":
        because = explain_undecided(number, at_least=at_least, at_most=at_most)
    return StudyClaim(
        text=row.sentence.format(**fields),
        reference=row.reference,
        place=row.place.format(**fields),
        verdict=verdict,
        measured=row.measured.format(**fields),
        figure=number.value,
        standard_error=number.standard_error,
        at_least=at_least,
        at_most=at_most,
        undecided_because=because,
    )


def _count_repetitions(fields: Mapping[str, str | float]) -> float:
    return float(fields["repetitions"])


def _resolve_bound(bound: Bound, fields: Mapping[str, str | float]) -> float | None:
    return bound.value(fields) if isinstance(bound, RelativeBound) else bound


def decide(
    number: MonteCarloNumber, *, at_least: float | None = None, at_most: float | None = None
) -> ClaimVerdict:
    """Return whether a number lies within two bounds: the one rule for every claim.

    The claim holds if the number is inside by ``Z`` standard errors or more, fails if it is outside
    by more than that, and is undecided otherwise, or if the number or its error is unknown. A
    number without error that equals a bound is inside.
    """
    if number.value is None or number.standard_error is None:
        return "undecided"
    inside = min(
        math.inf if at_least is None else number.value - at_least,
        math.inf if at_most is None else at_most - number.value,
    )
    margin = Z * number.standard_error
    if not (math.isfinite(number.value) and math.isfinite(margin)):
        return "undecided"
    if inside >= margin:
        return "holds"
    return "fails" if inside < -margin else "undecided"


def pick_least_certain(numbers: Iterable[MonteCarloNumber]) -> MonteCarloNumber:
    """Return the number that is the fewest standard errors above 0, or an unknown one.

    It decides a claim that all of the numbers are above 0: the claim holds if it holds for this
    number, and fails if it fails for any of them.
    """
    return min(numbers, key=_count_standard_errors)


def _count_standard_errors(number: MonteCarloNumber) -> float:
    value, error = number.value, number.standard_error
    if value is None or error is None or not math.isfinite(value * error):
        return -math.inf
    if error == 0:
        return math.inf if value >= 0 else -math.inf
    return value / error


def explain_undecided(
    number: MonteCarloNumber, *, at_least: float | None = None, at_most: float | None = None
) -> str:
    """Return why ``decide`` leaves a claim undecided, as sentences for readers."""
    if number.value is None or number.standard_error is None:
        return "The number or its standard error is unknown."
    bounds = [bound for bound in (at_least, at_most) if bound is not None]
    known = math.isfinite(number.value) and 0 < number.standard_error < math.inf
    if not bounds or not known:
        return "The number cannot be held against its bounds."
    nearest = min(bounds, key=lambda bound: abs(bound - float(number.value or 0.0)))
    distance = abs(number.value - nearest) / number.standard_error
    text = (
        f"The number is {distance:.1f} standard errors from the bound {nearest:.4g}, and a claim "
        f"is decided from {Z:.0f} on."
    )
    times = (Z / distance) ** 2 if distance > 0 else math.inf
    if times > MOST_TIMES:
        return (
            f"{text} It is at the bound as far as this study can see: more than {MOST_TIMES} times "
            "as many repetitions would be needed."
        )
    count = f"{max(times, 1.1):.2g}"
    return f"{text} If it stays where it is, {count} times as many repetitions decide it."

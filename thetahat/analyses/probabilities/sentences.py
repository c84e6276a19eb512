"""What numbers about probabilities say, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.result import (
    PartDifferences,
    ProbabilityEstimate,
    Recalibration,
    ScoreParts,
)
from thetahat.values.number_text import (
    find_error,
    format_alike,
    format_number,
    format_p_value,
    format_percent,
)


def describe_event(
    event: BinaryEvent,
    in_the_large: ProbabilityEstimate,
    recalibration: Recalibration | None,
    parts: Mapping[str, ScoreParts],
) -> str:
    """Return whether probabilities are too low or high, too extreme or not, and miscalibrated."""
    what = f"of {event.label}" if event.label is not None else "of the most probable class"
    sentences = [_describe_mean(what, in_the_large)]
    if recalibration is not None:
        sentences.append(_describe_slope(recalibration.slope))
    tested = [each for each in parts.values() if each.p_value is not None]
    if tested:
        p = tested[0].p_value
        assert p is not None  # noqa: S101 - the parts are filtered by it
        alpha = 1 - in_the_large.level
        verdict = "They are miscalibrated" if p <= alpha else "Miscalibration is not shown"
        sentences.append(f"{verdict} ({format_p_value(p, alpha)}).")
    return " ".join(each for each in sentences if each)


def _write_estimate(estimate: ProbabilityEstimate) -> tuple[str, str]:
    """Return an estimate and its interval, with the digits that its error leaves."""
    value, lower, upper = estimate.estimate or 0.0, estimate.lower, estimate.upper
    if lower is None or upper is None:
        return format_number(value), "no interval"
    error = find_error(estimate.standard_error, lower, upper)
    written, *ends = format_alike([value, lower, upper], error)
    return written, f"{format_percent(estimate.level)} interval {' to '.join(ends)}"


def _describe_mean(what: str, estimate: ProbabilityEstimate) -> str:
    value, interval = _write_estimate(estimate)
    if estimate.lower is None or estimate.upper is None or estimate.lower <= 0 <= estimate.upper:
        return (
            f"Probabilities {what} are not shown to be too low or too high on average (share of "
            f"events minus mean probability {value}, {interval})."
        )
    side = "low" if estimate.lower > 0 else "high"
    return (
        f"Probabilities {what} are too {side} by {value.removeprefix('-')} on average "
        f"({interval} for share of events minus mean probability)."
    )


def _describe_slope(slope: ProbabilityEstimate) -> str:
    if slope.estimate is None or slope.lower is None or slope.upper is None:
        return ""
    about = "slope " + ", ".join(_write_estimate(slope))
    if slope.upper < 1:
        return f"They are too extreme ({about})."
    if slope.lower > 1:
        return f"They are too near to each other ({about})."
    return f"That they are too extreme or too near to each other is not shown ({about})."


def describe_pair(
    a: str, b: str, parts: Mapping[str, PartDifferences], *, are_trained_here: bool
) -> str:
    """Return which of two models has the better probabilities, and by which part.

    Of models that were trained on these data it is said of the models as trained, because the
    intervals do not allow for other training data, as those of a comparison by loss do.
    """
    if not parts:
        return ""
    name, of_score = next(iter(parts.items()))
    title = {"brier": "Brier score", "log": "log loss"}[name]
    score = of_score.score
    if score.estimate is None or score.lower is None or score.upper is None:
        return f"Which of {a} and {b} has the better probabilities is not clear."
    about = f"{title}: difference " + ", ".join(_write_estimate(score))
    if score.lower <= 0 <= score.upper:
        return f"Which of {a} and {b} has the better probabilities is not clear ({about})."
    better, worse = (a, b) if score.estimate < 0 else (b, a)
    sign = 1.0 if better == a else -1.0
    reasons = []
    if _is_beyond_zero(of_score.miscalibration, -sign):
        reasons.append("is better calibrated")
    if _is_beyond_zero(of_score.discrimination, sign):
        reasons.append("separates events from other rows better")
    why = f" It {' and '.join(reasons)}." if reasons else ""
    start = "As trained, " if are_trained_here else ""
    return f"{start}{better} has better probabilities than {worse} ({about}).{why}"


def _is_beyond_zero(estimate: ProbabilityEstimate, sign: float) -> bool:
    if estimate.lower is None or estimate.upper is None:
        return False
    return estimate.lower > 0 if sign > 0 else estimate.upper < 0

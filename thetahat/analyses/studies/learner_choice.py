"""Which of an estimator's learners its losses choose, and what that choice is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat.analyses.selection import choose, internal_estimate
from thetahat.analyses.studies.record_names import MEAN, PICKED, REGRET, TRUTHS, record_name
from thetahat.analyses.studies.truths import MODEL
from thetahat.cross_validation import SplitOutcome

SELECTED: Final = "selected"
"""What the chosen learner is called, whichever it is in a repetition."""


def record_choice(
    key: str,
    rule: str,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    truths: Mapping[str, Mapping[str, float]],
) -> dict[str, float]:
    """Return which learner is chosen, its internal error, its truths, and the regret.

    The internal error of the chosen is the least of several, and so too small. The regret is what
    its R(f^S) is above that of the best learner.

    Parameters
    ----------
    key : str
        Of the estimator.
    rule : str
        ``least`` or ``one_standard_error``; of equal ones the first learner is taken.
    outcomes, truths : mapping
        By learner.
    """
    estimates = {
        name: internal_estimate([outcome.losses for outcome in of_one])
        for name, of_one in outcomes.items()
    }
    choice = choose(estimates, rule).name
    record = {record_name(key, SELECTED, MEAN, "macro"): estimates[choice].mean}
    for name in outcomes:
        record[record_name(key, SELECTED, PICKED, name)] = float(name == choice)
    for name, value in truths[choice].items():
        record[record_name(key, SELECTED, TRUTHS, name)] = value
    if MODEL in truths[choice]:
        best = min(of_one[MODEL] for of_one in truths.values())
        record[record_name(key, SELECTED, REGRET)] = truths[choice][MODEL] - best
    return record

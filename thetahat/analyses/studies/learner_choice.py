"""The learner that an estimator's losses choose, and the quality of that choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat.analyses.selection.internal_estimates import estimate_from_losses
from thetahat.analyses.selection.selection_rules import SelectionRule, choose
from thetahat.analyses.studies.record_names import MEAN, PICKED, REGRET, TRUTHS, make_record_name
from thetahat.analyses.studies.truths import MODEL
from thetahat.cross_validation import SplitOutcome

SELECTED: Final = "selected"
"""The subject of the chosen learner's records, whichever learner it is in a repetition."""


def record_choice(
    key: str,
    rule: SelectionRule,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    truths: Mapping[str, Mapping[str, float]],
) -> dict[str, float]:
    """Return the records of the choice: the chosen learner, its error, its truths, its regret.

    The internal error of the chosen learner is the smallest of several and thus too small. The
    regret is its risk R(f^S) minus that of the best learner.

    Parameters
    ----------
    key : str
        The estimator's key.
    rule : str
        ``least`` or ``one_standard_error``; of equal learners the first is taken.
    outcomes, truths : mapping
        By learner.
    """
    estimates = {
        name: estimate_from_losses([outcome.losses for outcome in by_split])
        for name, by_split in outcomes.items()
    }
    choice = choose(estimates, rule).name
    record = {make_record_name(key, SELECTED, MEAN, "macro"): estimates[choice].mean}
    for name in outcomes:
        record[make_record_name(key, SELECTED, PICKED, name)] = float(name == choice)
    for name, value in truths[choice].items():
        record[make_record_name(key, SELECTED, TRUTHS, name)] = value
    if MODEL in truths[choice]:
        best = min(by_truth[MODEL] for by_truth in truths.values())
        record[make_record_name(key, SELECTED, REGRET)] = truths[choice][MODEL] - best
    return record

"""The tests of all models at once, as a result has them."""

from __future__ import annotations

from typing import Any

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import Selection
from thetahat.analyses.losses.not_applicable import LeftOut
from thetahat.analyses.losses.post_hoc import post_hoc_told
from thetahat.multiple_tests.base import OmnibusOutcome, OmnibusTest
from thetahat.seeds import stream
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import plain, told


def compare_all(
    table: LossTable,
    selection: Selection[OmnibusTest],
    choices: Choices,
    seed: int,
    left_out: LeftOut,
) -> dict[str, dict[str, Any]]:
    """Return ``omnibus``: the outcome of each test with its pairs and tied models, by key."""
    outcomes: dict[str, dict[str, Any]] = {}
    for entry in selection.methods:
        try:
            outcome = entry.method.test(table, stream(seed, f"omnibus/{entry.key}"))
        except DOES_NOT_FIT as error:
            if selection.named:
                if entry.place is not None:
                    error.loc = ("tests", entry.place)
                raise
            left_out.add("omnibus", entry.name, error.message)
            continue
        outcomes[entry.key] = _told(outcome)
        if outcome.post_hoc is not None:
            outcomes[entry.key] |= plain(post_hoc_told(outcome.post_hoc, table.names, choices))
    return outcomes


def _told(outcome: OmnibusOutcome) -> dict[str, Any]:
    given = {
        "statistic": outcome.statistic,
        "degrees_of_freedom": outcome.degrees_of_freedom,
        "p_value": outcome.p_value,
        "target": outcome.target.value,
        "unit": outcome.unit,
    }
    details = {key: item for key, item in outcome.details.items() if key not in given}
    return {**plain(given), "cautions": told(outcome.cautions), **plain(details)}

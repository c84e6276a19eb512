"""Tests of all models at once."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.expected_size import (
    add_size_cautions,
    find_test_sizes,
    list_size_cautions,
    look_up_sizes,
)
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.post_hoc import build_post_hoc_result
from thetahat.analyses.losses.result import OmnibusResult
from thetahat.error_paths import errors_located_at
from thetahat.multiple_tests.base import OmnibusOutcome, OmnibusTest
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import LossTable
from thetahat.values.coverage import ExpectedSize


def compare_all(
    table: LossTable,
    selection: SelectedMethods[OmnibusTest],
    choices: Choices,
    seed: int,
    left_out: OmittedMethods,
) -> dict[str, OmnibusResult]:
    """Return the outcome of each test with its pairs and tied models, by key."""
    outcomes: dict[str, OmnibusResult] = {}
    lookup = look_up_sizes(table, choices)
    for entry in selection.methods:
        located: AbstractContextManager[None] = nullcontext()
        if entry.place is not None:
            located = errors_located_at(("tests", entry.place))
        try:
            with located:
                outcome = entry.method.test(table, make_random_stream(seed, f"omnibus/{entry.key}"))
        except DOES_NOT_FIT as error:
            if selection.named:
                raise
            left_out.add("omnibus", entry.name, error.message)
            continue
        sizes = find_test_sizes(lookup, (entry,), choices, {entry.key: outcome})
        outcomes[entry.key] = _build_result(
            add_size_cautions({entry.key: outcome}, list_size_cautions(sizes))[entry.key],
            table.names,
            choices,
            sizes.get(entry.key),
        )
    return outcomes


def _build_result(
    outcome: OmnibusOutcome,
    names: tuple[str, ...],
    choices: Choices,
    expected_size: ExpectedSize | None,
) -> OmnibusResult:
    result = OmnibusResult(
        statistic=outcome.statistic,
        degrees_of_freedom=outcome.degrees_of_freedom,
        p_value=outcome.p_value,
        target=outcome.target,
        unit=outcome.unit,
        cautions=tuple(dict.fromkeys(outcome.cautions)),
        details=outcome.details,
        expected_size=expected_size,
    )
    if outcome.post_hoc is None:
        return result
    return build_post_hoc_result(result, outcome.post_hoc, names, choices)

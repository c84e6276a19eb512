"""The paired tests of a batch of pairs, and how they are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from thetahat.analyses.losses.choices import Choices, Chosen
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import Selection
from thetahat.analyses.losses.not_applicable import LeftOut
from thetahat.analyses.losses.pairs import Pair
from thetahat.errors import EvaluationError
from thetahat.paired_tests.base import BatchedTest, PairBatch, PairedTest, TestOutcome
from thetahat.seeds import stream
from thetahat.values.json_values import plain, told


def outcomes_of(  # noqa: PLR0913 - what is asked, on what, and where to note what was left out
    pairs: Sequence[Pair],
    batch: PairBatch,
    selection: Selection[PairedTest],
    choices: Choices,
    seed: int,
    left_out: LeftOut,
) -> list[dict[str, TestOutcome]]:
    """Return the outcomes of each pair by key."""
    outcomes: list[dict[str, TestOutcome]] = [{} for _ in pairs]
    for entry in selection.methods:
        found = _each(entry, pairs, batch, choices, seed)
        for own, outcome in zip(outcomes, found, strict=True):
            if isinstance(outcome, TestOutcome):
                own[entry.key] = outcome
            elif selection.named or not isinstance(outcome, DOES_NOT_FIT):
                raise outcome
            else:
                left_out.add("tests", entry.name, outcome.message)
    return outcomes


def _each(
    entry: Chosen[PairedTest], pairs: Sequence[Pair], batch: PairBatch, choices: Choices, seed: int
) -> Iterable[TestOutcome | EvaluationError]:
    """Test the batch at once where the test can, with numbers common to all pairs; else each."""
    if isinstance(entry.method, BatchedTest):
        rng = stream(seed, f"tests/{entry.key}")
        yield from entry.method.test_many(batch, choices.alternative, rng)
        return
    for pair in pairs:
        rng = stream(seed, f"tests/{entry.key}", *pair.position)
        try:
            yield entry.method.test(pair.losses, choices.alternative, rng)
        except EvaluationError as error:
            yield error


def outcome_told(outcome: TestOutcome) -> dict[str, Any]:
    """Return an outcome as the result has it."""
    given = numbers_of(outcome)
    details = {key: item for key, item in outcome.details.items() if key not in given}
    return {**given, "cautions": told(outcome.cautions), **plain(details)}


def numbers_of(outcome: TestOutcome) -> dict[str, Any]:
    """Return the fields that every outcome has, without its cautions."""
    return {
        "statistic": plain(outcome.statistic),
        "degrees_of_freedom": plain(outcome.degrees_of_freedom),
        "p_value": plain(outcome.p_value),
        "p_value_adjusted": None,
        "target": outcome.target.value,
        "unit": outcome.unit,
    }

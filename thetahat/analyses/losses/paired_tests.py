"""The paired tests of a batch of pairs, and their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.pairs import Pair
from thetahat.analyses.losses.result import TestResult
from thetahat.corrections import adjust
from thetahat.errors import EvaluationError
from thetahat.paired_tests.base import (
    BatchedTest,
    PairBatch,
    PairedTest,
    PosteriorProbabilities,
    TestOutcome,
)
from thetahat.seeds import stream
from thetahat.values.coverage import ExpectedSize


def run_paired_tests(  # noqa: PLR0913 - the losses, the methods, the options and the list of omissions
    pairs: Sequence[Pair],
    batch: PairBatch,
    selection: SelectedMethods[PairedTest],
    choices: Choices,
    seed: int,
    left_out: OmittedMethods,
) -> list[dict[str, TestOutcome]]:
    """Return the outcomes of each pair by key."""
    outcomes: list[dict[str, TestOutcome]] = [{} for _ in pairs]
    for entry in selection.methods:
        results = _test_each_pair(entry, pairs, batch, choices, seed)
        for own, outcome in zip(outcomes, results, strict=True):
            if isinstance(outcome, TestOutcome):
                own[entry.key] = outcome
            elif selection.named or not isinstance(outcome, DOES_NOT_FIT):
                raise outcome
            else:
                left_out.add("tests", entry.name, outcome.message)
    return outcomes


def _test_each_pair(
    entry: ChosenMethod[PairedTest],
    pairs: Sequence[Pair],
    batch: PairBatch,
    choices: Choices,
    seed: int,
) -> Iterable[TestOutcome | EvaluationError]:
    """Yield the outcome of each pair, from one call for the batch if the test supports that."""
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


def adjust_p_values(
    outcomes: Sequence[Mapping[str, TestOutcome]], correction: str
) -> list[dict[str, float | None]]:
    """Return each pair's corrected p-values by key, test by test over the pairs that have it."""
    adjusted: list[dict[str, float | None]] = [{} for _ in outcomes]
    if len(outcomes) < 2:
        return adjusted
    for key in dict.fromkeys(key for of_pair in outcomes for key in of_pair):
        p_values = [of_pair[key].p_value if key in of_pair else None for of_pair in outcomes]
        for of_pair, value in zip(adjusted, adjust(p_values, correction), strict=True):
            of_pair[key] = value
    return adjusted


def build_test_result(
    outcome: TestOutcome, p_value_adjusted: float | None, expected_size: ExpectedSize | None = None
) -> TestResult:
    """Return the outcome of a test as the result has it."""
    return TestResult(
        statistic=outcome.statistic,
        degrees_of_freedom=outcome.degrees_of_freedom,
        p_value=outcome.p_value,
        p_value_adjusted=p_value_adjusted,
        target=outcome.target,
        unit=outcome.unit,
        cautions=tuple(dict.fromkeys(outcome.cautions)),
        details={**_get_posterior_fields(outcome.posterior), **outcome.details},
        expected_size=expected_size,
    )


def _get_posterior_fields(posterior: PosteriorProbabilities | None) -> Mapping[str, float]:
    """Return the fields that only the result of a Bayesian test has."""
    return {} if posterior is None else asdict(posterior)

"""The paired tests of a batch of pairs, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.result import TestResult
from thetahat.paired_tests.base import PairBatch, PairedTest, PosteriorProbabilities, TestOutcome
from thetahat.seeds import make_random_stream
from thetahat.values.coverage import ExpectedSize


def run_paired_tests(
    batch: PairBatch,
    selection: SelectedMethods[PairedTest],
    choices: Choices,
    seed: int,
    left_out: OmittedMethods,
) -> list[dict[str, TestOutcome]]:
    """Return the outcomes of each pair by key."""
    outcomes: list[dict[str, TestOutcome]] = [{} for _ in batch.pairs]
    for entry in selection.methods:
        streams = partial(make_random_stream, seed, f"tests/{entry.key}")
        results = entry.method.test_many(batch, choices.alternative, streams)
        for own, outcome in zip(outcomes, results, strict=True):
            if isinstance(outcome, TestOutcome):
                own[entry.key] = outcome
            elif selection.named or not isinstance(outcome, DOES_NOT_FIT):
                raise outcome
            else:
                left_out.add("tests", entry.name, outcome.message)
    return outcomes


def adjust_p_values(
    outcomes: Sequence[Mapping[str, TestOutcome]],
    adjust: Callable[[Sequence[float | None]], list[float | None]],
) -> list[dict[str, float | None]]:
    """Return each pair's corrected p-values by key, test by test over the pairs that have it."""
    adjusted: list[dict[str, float | None]] = [{} for _ in outcomes]
    if len(outcomes) < 2:
        return adjusted
    for key in dict.fromkeys(key for of_pair in outcomes for key in of_pair):
        p_values = [of_pair[key].p_value if key in of_pair else None for of_pair in outcomes]
        for of_pair, value in zip(adjusted, adjust(p_values), strict=True):
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

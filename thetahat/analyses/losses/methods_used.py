"""The methods that a result was made with, and their parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.inference import Inference
from thetahat.analyses.losses.method_selection import REGISTRIES
from thetahat.analyses.losses.refit_estimates import RefitEstimates
from thetahat.analyses.losses.result import Comparison, MethodUsed, OmnibusResult
from thetahat.values.json_values import JsonValue


def list_methods_used(
    choices: Choices,
    inferences: Iterable[Inference],
    comparisons: Iterable[Comparison],
    omnibus: Mapping[str, OmnibusResult],
    refits: RefitEstimates,
) -> tuple[MethodUsed, ...]:
    """Return the variances, intervals and tests that were used, with their parameters.

    The variances and intervals are those of the models, as ``inferences`` has them, and intervals
    that pairs alone have.
    Estimates that were made by fitting again are left out; the analysis that made them lists them.
    """
    comparisons = tuple(comparisons)
    estimates = [estimate for of_subject in refits.values() for estimate in of_subject]
    keys: dict[str, list[str]] = {
        "variances": [key for inference in inferences for key in inference.estimates],
        "intervals": [
            *(built.interval.method for inference in inferences for built in inference.built),
            *_list_intervals_of_pairs(comparisons),
        ],
        "tests": [key for pair in comparisons for key in pair.tests or ()],
        "omnibus": list(omnibus),
    }
    made_before = {
        "variances": {estimate.key for estimate in estimates if estimate.estimate is not None},
        "intervals": {interval.method for estimate in estimates for interval in estimate.intervals},
    }
    return tuple(
        _describe_method(family, key, choices)
        for family in REGISTRIES
        for key in dict.fromkeys(keys[family])
        if key not in made_before.get(family, ())
    )


def _list_intervals_of_pairs(comparisons: Iterable[Comparison]) -> Iterator[str]:
    for pair in comparisons:
        intervals = pair.intervals or ((pair.interval,) if pair.interval else ())
        yield from (interval.method for interval in intervals)


def _describe_method(family: str, key: str, choices: Choices) -> MethodUsed:
    for entry in getattr(choices, family) or ():
        if entry.key == key:
            return MethodUsed(
                family=family,
                name=entry.name,
                params=list_parameters(entry.method),
                key=None if key == entry.name else key,
            )
    return MethodUsed(family=family, name=key, params=_get_default_parameters(family, key))


@cache
def _get_default_parameters(family: str, name: str) -> Mapping[str, JsonValue]:
    return list_parameters(REGISTRIES[family][name]())


def list_parameters(method: object) -> Mapping[str, JsonValue]:
    """Return the parameters of a method by name; empty if the method is not a dataclass."""
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return {}
    return dataclasses.asdict(method)

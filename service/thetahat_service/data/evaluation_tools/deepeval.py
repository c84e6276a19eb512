"""DeepEval: the test runs in ``DEEPEVAL_RESULTS_FOLDER``, and ``.deepeval/.latest_test_run.json``.

An ``EvaluationResult``, which ``evaluate`` returns, is read as JSON, too.

An item is a test case, known by its input, expected output and context. The model is the
hyperparameter ``model`` of the run, where it has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    hash_content,
    name_item,
    number_runs,
    read_costs,
    read_number,
    require_list,
    require_object,
    shorten,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

CASES: Final = ("testCases", "conversationalTestCases")
RESULTS: Final = "test_results"
"""The test cases of an ``EvaluationResult``, whose members are named in another way."""
CASE_KEYS: Final = (
    *("input", "expectedOutput", "context"),
    *("scenario", "expectedOutcome", "userDescription"),
)
"""What tells test cases apart; the other members are of the model's answer."""
EARLIER: Final = "metricsMetadata"
"""Where earlier releases wrote the scores, by other names."""


class DeepEval:
    """The test runs of DeepEval."""

    name = "DeepEval"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is a test run."""
        run = _unwrap(value)
        return isinstance(run, dict) and any(isinstance(run.get(key), list) for key in CASES)

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each test case."""
        for value in values:
            run = require_object(_unwrap(value), "The test run")
            constant: dict[str, JsonValue] = {}
            settings = run.get("hyperparameters")
            model = settings.get("model") if isinstance(settings, dict) else None
            if isinstance(model, str) and model:
                constant["model"] = model
            if isinstance(run.get("datasetAlias"), str):
                constant["task"] = run["datasetAlias"]
            cases = [
                require_object(case, "A test case")
                for key in CASES
                for case in require_list(run.get(key) or [], f"The member {key}")
            ]
            yield from number_runs(_read_case(case, constant) for case in cases)


def _unwrap(value: JsonValue) -> JsonValue:
    """Return the test run, which is in a member where it is the latest one."""
    if not isinstance(value, dict):
        return value
    results = value.get(RESULTS)
    if isinstance(results, list) and results and all(map(_is_result, results)):
        return {"testCases": [_rename(result) for result in results]}
    run: JsonValue = value.get("testRunData", value)
    return run


def _is_result(value: JsonValue) -> bool:
    return isinstance(value, dict) and ("metrics_data" in value or "metricsData" in value)


def _rename(value: JsonValue) -> JsonValue:
    """Return a test case of an ``EvaluationResult`` with the names of test runs."""
    if not isinstance(value, dict):
        return value
    return {
        "".join([first, *map(str.capitalize, others)]): member
        for key, member in value.items()
        for first, *others in [key.split("_")]
    }


def _read_case(case: JsonObject, constant: JsonObject) -> JsonObject:
    if EARLIER in case:
        raise InvalidFile(
            f"The test cases have {EARLIER}, as early releases of DeepEval wrote it; metricsData "
            "is understood. Run the evaluation with a newer release."
        )
    content = [case.get(key) for key in CASE_KEYS]
    if all(part is None for part in content):
        content = [case.get("name")]
    digest = hash_content(*content)
    words = case.get("input") or case.get("scenario") or case.get("name") or "test case"
    item = name_item(str(words), digest)
    scores: dict[str, JsonValue] = {}
    errors = []
    for entry in require_list(case.get("metricsData") or [], f"metricsData of item {item!r}"):
        metric = require_object(entry, f"A metric of item {item!r}")
        name = metric.get("name")
        if not isinstance(name, str) or not name:
            raise InvalidFile(f"A metric of item {item!r} has no name.")
        if name in scores:
            raise InvalidFile(
                f"Item {item!r} has two metrics with the name {name!r}. Give each a name."
            )
        error = metric.get("error")
        if error is not None:
            errors.append(f"{name}: {error}")
        place = f"The score {name!r} of item {item!r}"
        scores[name] = None if error is not None else read_number(metric.get("score"), place)
    row: dict[str, JsonValue] = {"item": item, **constant, "doc_hash": digest}
    if errors:
        row[ERROR] = shorten("; ".join(errors), 1000)
    costs = read_costs(
        usd=case.get("tokenCost"),
        seconds=case.get("completionTime"),
        input_tokens=case.get("inputTokenCount"),
        output_tokens=case.get("outputTokenCount"),
    )
    return {**row, "score": scores, **costs}


TOOL: Final = DeepEval()

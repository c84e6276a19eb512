"""The main tables of the kinds whose result is more, or other, than models and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from service.pages.tables import Table
from service.pages.texts import (
    MISSING,
    capitalise,
    describe_target,
    write_ends,
    write_estimate,
    write_number,
)

if TYPE_CHECKING:
    from thetahat_client.results import (
        BootstrapResultDict,
        EstimatedWeightsDict,
        ImportanceWeightingResultDict,
        LearningCurveResultDict,
        SelectionResultDict,
        StudyResultDict,
        WeightsResultDict,
    )

Json = Mapping[str, Any]
MAX_ROWS: Final = 200
MOST_COVARIANCES: Final = 12
"""Components up to which the page shows their covariances; the result always has them."""

CURVE_DECISIONS: Final = {
    "saturated": "more rows would not help",
    "not_saturated": "more rows would still help",
    "no_improvement_seen": "no improvement was seen, which shows nothing",
    "undecided": "undecided",
}


def list_main_tables(result: Json) -> list[Table]:
    """Return the tables that answer the question of the result's kind."""
    tabulate = TABLES.get(result["kind"])
    return [] if tabulate is None else tabulate(result)


def describe_outcome(result: Json) -> list[str]:
    """Return the answer of a result without a summary, as sentences."""
    describe = OUTCOMES.get(result["kind"])
    return [] if describe is None else describe(result)


# Bootstrap ---------------------------------------------------------------------------------------


def _tabulate_bootstrap(result: BootstrapResultDict) -> list[Table]:
    if "components" in result:
        return _tabulate_components(result)
    error = result["standard_error"]
    numbers = (
        ("Estimate", result["estimate"]),
        ("Standard error", error),
        ("Bias", result["bias"]),
        ("Estimate minus bias", result["bias_corrected"]),
        ("Variance", result["variance"]),
        ("Resamples", result["n_resamples"]),
    )
    return [
        Table(
            caption=f"Intervals about the {result['statistic']}",
            columns=["Method", "Level", "Interval"],
            rows=[
                [
                    interval["method"],
                    f"{100 * interval['level']:.6g} %",
                    write_ends(interval, error),
                ]
                for interval in result["intervals"]
            ],
            numbers=frozenset({1, 2}),
        ),
        Table(
            caption="The estimate",
            columns=["Number", "Value"],
            rows=[[name, write_number(value)] for name, value in numbers],
            numbers=frozenset({1}),
        ),
    ]


def _tabulate_components(result: BootstrapResultDict) -> list[Table]:
    """Return the components of a vector, and the covariance of the components."""
    components = result["components"][:MAX_ROWS]
    methods = [each["method"] for each in components[0]["intervals"]]
    names = [each["name"] for each in components]
    about = result["statistic"].replace("_", " ")
    levels = {each["level"] for each in components[0]["intervals"]}
    level = "".join(f" of level {100 * one:.6g} %" for one in levels)
    estimates = Table(
        caption=f"The {about}, with intervals{level}",
        columns=["Component", "Estimate", "Standard error", "Bias", *methods],
        rows=[
            [
                each["name"],
                write_estimate(each["estimate"], each["standard_error"]),
                write_number(each["standard_error"]),
                write_number(each["bias"]),
                *(write_ends(one, each["standard_error"]) for one in each["intervals"]),
            ]
            for each in components
        ],
        numbers=frozenset(range(1, 4 + len(methods))),
    )
    covariance = Table(
        caption="Covariance of the components over the resamples",
        columns=["Component", *names],
        rows=[
            [name, *(write_number(value) for value in row[: len(names)])]
            for name, row in zip(names, result["covariance_of_components"], strict=False)
        ],
        numbers=frozenset(range(1, len(names) + 1)),
    )
    return [estimates, covariance] if len(names) <= MOST_COVARIANCES else [estimates]


def _describe_bootstrap(result: BootstrapResultDict) -> list[str]:
    if "components" in result:
        about, n = result["statistic"].replace("_", " "), len(result["components"])
        resamples = write_number(result["n_resamples"])
        noun = "component" if n == 1 else "components"
        return [f"{about}: {n} {noun}, with intervals from {resamples} resamples."]
    error = result["standard_error"]
    text = f"The {result['statistic']} is {write_estimate(result['estimate'], error)}"
    intervals = {interval["method"]: interval for interval in result["intervals"]}
    best = next((intervals[m] for m in ("bca", "student_t", "percentile") if m in intervals), None)
    if best is not None and best["lower"] is not None and best["upper"] is not None:
        ends = write_ends(best, error)
        text += f" ({100 * best['level']:.6g} % {best['method']} interval {ends})"
    return [f"{text}, from {write_number(result['n_resamples'])} resamples."]


# Selection ---------------------------------------------------------------------------------------


def _tabulate_selection(result: SelectionResultDict) -> list[Table]:
    chosen, external = result["chosen"], result["external"]
    by = "Error" if chosen["by"] == "error" else capitalise(chosen["by"])
    rows = []
    internal = result["internal"]
    order = sorted(
        internal,
        key=lambda name: _sort_key(internal[name]["mean"], reverse=chosen["higher_is_better"]),
    )
    for name in order[:MAX_ROWS]:
        number = internal[name]
        wins = MISSING if external is None else write_number(external["wins"].get(name))
        rows.append(
            [
                f"{name} (chosen)" if name == chosen["name"] else name,
                write_estimate(number["mean"], number["standard_error"]),
                write_number(number["standard_error"]),
                wins,
            ]
        )
    tables = [
        Table(
            caption="Candidates, the best one first",
            columns=["Candidate", f"Internal {by.lower()}", "Standard error", "Times chosen"],
            rows=rows,
            numbers=frozenset({1, 2, 3}),
            note="The internal value of the chosen candidate is too good, because it is the best "
            "of many. “Times chosen” counts the external splits in which the candidate was "
            "chosen.",
        )
    ]
    if external is not None:
        tables.append(
            Table(
                caption="Choice in each external split",
                columns=["Test part", "Chosen", f"Internal {by.lower()}", f"External {by.lower()}"],
                rows=[
                    [
                        str(split["block"]),
                        split["winner"],
                        write_number(split["internal"]),
                        write_number(split["external"]),
                    ]
                    for split in external["splits"][:MAX_ROWS]
                ],
                numbers=frozenset({2, 3}),
            )
        )
    return tables


def _describe_selection(result: SelectionResultDict) -> list[str]:
    chosen, bias = result["chosen"], result["bias"]
    sentence = (
        f"{chosen['name']} was chosen, with an internal "
        f"{'error' if chosen['by'] == 'error' else chosen['by']} of "
        f"{write_number(chosen['internal']['mean'])}."
    )
    if bias["estimate"] is None:
        return [sentence]
    interval = bias["interval"]
    gap = f"The external value is {write_number(abs(bias['estimate']))} "
    gap += "above" if bias["estimate"] >= 0 else "below"
    gap += " the internal one"
    if interval is not None:
        ends = write_ends(interval)
        gap += f" ({100 * interval['level']:.6g} % interval of the difference {ends})"
    return [sentence, f"{gap}."]


def _sort_key(value: float | None, *, reverse: bool) -> tuple[bool, float]:
    return value is None, 0.0 if value is None else (-value if reverse else value)


# Learning curve ----------------------------------------------------------------------------------


def _tabulate_curves(result: LearningCurveResultDict) -> list[Table]:
    rows = []
    for name, curve in result["curves"].items():
        for point in curve["points"]:
            intervals = list(point["recommended"].items())
            target, interval = intervals[0] if intervals else ("", None)
            error = None if interval is None else interval["standard_error"]
            rows.append(
                [
                    name,
                    str(point["size"]),
                    _write_rows(point["n_train"].get("mean")),
                    write_estimate(point["mean"]["macro"], error),
                    write_ends(interval, error),
                    describe_target(target),
                ]
            )
    return [
        Table(
            caption="Mean loss at each training size",
            columns=["Learner", "Size", "Training rows", "Mean loss", "Interval", "About"],
            rows=rows[:MAX_ROWS],
            numbers=frozenset({1, 2, 3, 4}),
        )
    ]


def _write_rows(mean: float | None) -> str:
    """Return the mean number of rows over the splits, as a whole number."""
    return write_number(None if mean is None else round(mean))


def _describe_curves(result: LearningCurveResultDict) -> list[str]:
    return [
        f"{name}: {CURVE_DECISIONS.get(curve['saturation']['decision'], '')}. "
        f"{curve['saturation']['reason']}"
        for name, curve in result["curves"].items()
    ]


# Importance weighting ----------------------------------------------------------------------------


def _tabulate_weights(weights: EstimatedWeightsDict) -> Table:
    names = {
        "mean": "Mean weight (should be near 1)",
        "variance": "Variance of the weights",
        "largest": "Largest weight",
        "effective_sample_size": "Effective sample size",
        "n": "Source rows",
        "n_target": "Target rows",
        "share_above_10": "Share of weights above 10",
        "share_zero": "Share of weights that are zero",
        "coverage": "Share of target rows with a source row near them",
    }
    numbers: Mapping[str, object] = weights
    return Table(
        caption=f"Importance weights by {weights['method']}",
        columns=["Number", "Value"],
        rows=[[text, write_number(numbers[key])] for key, text in names.items() if key in numbers],
        numbers=frozenset({1}),
    )


def _tabulate_importance(result: ImportanceWeightingResultDict) -> list[Table]:
    rows = []
    for name, risk in result["risks"].items():
        interval = risk["interval"]
        selected = risk.get("selected_learner"), risk.get("selected")
        shown = [write_number(number) for number in selected if number is not None]
        rows.append(
            [
                name,
                ", ".join(shown) or MISSING,
                write_estimate(risk["estimate"], risk["standard_error"]),
                write_ends(interval, risk["standard_error"]),
                write_number(risk.get("target_risk")),
            ]
        )
    table = Table(
        caption="What each estimator of the risk selects",
        columns=["Estimator", "Selects", "Estimated risk", "Interval", "Loss on the target"],
        rows=rows,
        numbers=frozenset({2, 3, 4}),
        note="The loss on the target is known only where the target sample has labels.",
    )
    return [table, _tabulate_weights(result["weights"])]


def _describe_importance(result: ImportanceWeightingResultDict) -> list[str]:
    sentences = []
    for name, risk in result["risks"].items():
        selected = risk.get("selected_learner"), risk.get("selected")
        chosen = ", ".join(write_number(number) for number in selected if number is not None)
        error = risk["standard_error"]
        text = f"The {name.replace('_', ' ')} risk "
        text += f"selects {chosen}, with an estimate of " if chosen else "is "
        text += write_estimate(risk["estimate"], error)
        if risk["interval"] is not None:
            text += f" (interval {write_ends(risk['interval'], error)})"
        sentences.append(f"{text}.")
    return [*sentences, _describe_sample_size(result["weights"])]


def _describe_sample_size(weights: EstimatedWeightsDict) -> str:
    return (
        f"The {write_number(weights['n'])} weighted source rows are worth about "
        f"{round(weights['effective_sample_size'])} unweighted ones (effective sample size)."
    )


# Studies -----------------------------------------------------------------------------------------


def _tabulate_study(result: StudyResultDict) -> list[Table]:
    tables = [
        Table(
            caption=table["title"],
            columns=list(table["columns"].values()),
            rows=[
                [_write_cell(row.get(key)) for key in table["columns"]]
                for row in table["rows"][:MAX_ROWS]
            ],
            numbers=frozenset(
                i
                for i, key in enumerate(table["columns"])
                if i > 0 and any(not isinstance(row.get(key), str) for row in table["rows"])
            ),
            note=table["note"],
        )
        for table in result["tables"]
    ]
    if result["claims"]:
        tables.insert(
            0,
            Table(
                caption="Claims of the source",
                columns=["Claim", "Verdict", "Measured", "Number", "Place"],
                rows=[
                    [
                        claim["text"],
                        claim["verdict"],
                        claim["measured"],
                        write_estimate(claim["figure"], claim["standard_error"]),
                        claim["place"],
                    ]
                    for claim in result["claims"]
                ],
                numbers=frozenset({3}),
            ),
        )
    return tables


def _write_cell(cell: Any) -> str:
    """Return a cell of a study: a number with its Monte-Carlo standard error in brackets."""
    if not isinstance(cell, Mapping):
        return write_number(cell)
    value, error = cell["value"], cell["standard_error"]
    if value is None or not error:
        return write_number(value)
    return f"{write_estimate(value, error)} (± {write_number(float(f'{error:.2g}'))})"


def _describe_study(result: StudyResultDict) -> list[str]:
    study = result["study"]
    sentences = [f"The study has {write_number(study['repetitions'])} repetitions."]
    if result["claims"]:
        verdicts = [claim["verdict"] for claim in result["claims"]]
        sentences.append(
            f"Of {len(verdicts)} claims of the source, {verdicts.count('holds')} hold, "
            f"{verdicts.count('fails')} fail and {verdicts.count('undecided')} are undecided."
        )
    return sentences


def _tabulate_weights_alone(result: WeightsResultDict) -> list[Table]:
    return [_tabulate_weights(result["weights"])]


TABLES: Final[Mapping[str, Callable[[Any], list[Table]]]] = {
    "bootstrap": _tabulate_bootstrap,
    "selection": _tabulate_selection,
    "learning_curve": _tabulate_curves,
    "importance_weighting": _tabulate_importance,
    "weights": _tabulate_weights_alone,
    "study": _tabulate_study,
}
OUTCOMES: Final[Mapping[str, Callable[[Any], list[str]]]] = {
    "bootstrap": _describe_bootstrap,
    "selection": _describe_selection,
    "learning_curve": _describe_curves,
    "importance_weighting": _describe_importance,
    "weights": lambda result: [_describe_sample_size(result["weights"])],
    "study": _describe_study,
}

"""The main tables of the kinds whose result is more, or other, than models and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from thetahat.analyses.bootstrap.intervals import choose_headline_interval
from thetahat_service.figures.words import describe_repetitions, name_method, write_level
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import (
    MISSING,
    capitalise,
    count,
    describe_target,
    join_words,
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
MAX_COMPONENTS: Final = 4
"""Components of a vector up to which a sentence has their estimates."""
MAX_CURVES: Final = 5
"""Learners up to which each has a sentence about its learning curve."""
TINY: Final = 1e-12
"""Standard errors below this share of a value are rounding errors."""
MOST_COVARIANCES: Final = 12
"""Components up to which the page shows their covariances; the result always has them."""

CURVE_DECISIONS: Final = {
    "saturated": "more rows would not help",
    "not_saturated": "more rows would still help",
    "no_improvement_seen": "no improvement was seen, which shows nothing",
    "undecided": "undecided",
}
CURVE_COUNTS: Final = {
    "saturated": "more rows would not help",
    "not_saturated": "more rows would still help",
    "no_improvement_seen": "the last step showed no improvement",
    "undecided": "it is undecided whether more rows would help",
}
"""The same decisions, as how many learners have them."""
WHOLE: Final = "1"
"""The size that is all of a training part."""


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
            caption=f"Intervals about the {name_method(result['statistic'])}",
            columns=["Method", "Level", "Interval"],
            rows=[
                [
                    name_method(interval["method"]),
                    write_level(interval["level"]),
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
    methods = [name_method(each["method"]) for each in components[0]["intervals"]]
    names = [each["name"] for each in components]
    levels = {each["level"] for each in components[0]["intervals"]}
    level = "".join(f"{write_level(one)} " for one in levels)
    estimates = Table(
        caption=f"The {name_method(result['statistic'])}, with {level}intervals",
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
        return [_describe_components(result)]
    text = f"The {name_method(result['statistic'])} is {_write_with_interval(result)}"
    return [f"{text}, from {count(result['n_resamples'], 'resample')}."]


def _describe_components(result: BootstrapResultDict) -> str:
    components = result["components"]
    n = len(components)
    text = f"{capitalise(name_method(result['statistic']))} with {count(n, 'component')}"
    if n <= MAX_COMPONENTS:
        parts = [f"{each['name']} {_write_with_interval(each)}" for each in components]
        text += f": {join_words(parts)}"
    return f"{text}, from {count(result['n_resamples'], 'resample')}."


def _write_with_interval(estimate: Json) -> str:
    """Return an estimate with the interval that the page puts first, in brackets."""
    error = estimate["standard_error"]
    text = write_estimate(estimate["estimate"], error)
    intervals = {interval["method"]: interval for interval in estimate["intervals"]}
    method = choose_headline_interval(intervals)
    best = None if method is None else intervals[method]
    if best is None or best["lower"] is None or best["upper"] is None:
        return text
    name = f"{write_level(best['level'])} {name_method(best['method'])} interval"
    return f"{text} ({name} {write_ends(best, error)})"


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
    columns = ["Candidate", f"Internal {by.lower()}", "Standard error"]
    note = "The internal value of the chosen candidate is too good, because it is the best of many."
    if external is not None:
        columns.append("Times chosen")
        note += " “Times chosen” counts the external splits in which the candidate was chosen."
    tables = [
        Table(
            caption="Candidates, the best one first",
            columns=columns,
            rows=[row[: len(columns)] for row in rows],
            numbers=frozenset(range(1, len(columns))),
            note=note + _note_left_out(len(order)),
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
                note=_note_left_out(len(external["splits"])).strip(),
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
    gap = (
        f"On rows that the choice has not seen, the value is {write_number(abs(bias['estimate']))} "
    )
    gap += "above" if bias["estimate"] >= 0 else "below"
    gap += " the internal one"
    if interval is not None:
        ends = write_ends(interval)
        gap += f" ({write_level(interval['level'])} interval of the difference {ends})"
    return [sentence, f"{gap}."]


def _note_left_out(n_rows: int) -> str:
    """Return that a table has not all rows; empty if it has them."""
    if n_rows <= MAX_ROWS:
        return ""
    return (
        f" The table has the first {MAX_ROWS} of {write_number(n_rows)} rows; the result as "
        "JSON has all."
    )


def _sort_key(value: float | None, *, reverse: bool) -> tuple[bool, float]:
    return value is None, 0.0 if value is None else (-value if reverse else value)


# Learning curve ----------------------------------------------------------------------------------


def _tabulate_curves(result: LearningCurveResultDict) -> list[Table]:
    main, rows = result["summary"]["target"], []
    higher_is_better = result["summary"]["better"] == "higher"
    means = {name: model["mean"]["macro"] for name, model in result["models"].items()}
    unit = result.get("unit", {"singular": "source"})["singular"]
    order = sorted(
        result["curves"],
        key=lambda name: _sort_key(means.get(name), reverse=higher_is_better),
    )
    for name in order:
        for point in result["curves"][name]["points"]:
            recommended = point["recommended"]
            target = main if main in recommended else next(iter(recommended), "")
            interval = recommended.get(target)
            error = None if interval is None else interval["standard_error"]
            rows.append(
                [
                    name,
                    "1 (all)" if str(point["size"]) == WHOLE else str(point["size"]),
                    _write_rows(point["n_train"].get("mean")),
                    write_estimate(point["mean"]["macro"], error),
                    write_ends(interval, error),
                    describe_target(target, unit),
                ]
            )
    quantity = "Mean score" if higher_is_better else "Mean loss"
    level = write_level(result["summary"]["level"])
    return [
        Table(
            caption=f"{quantity} at each training size",
            columns=["Learner", "Size", "Training rows", quantity, f"{level} interval", "About"],
            rows=rows[:MAX_ROWS],
            numbers=frozenset({1, 2, 3, 4}),
            note="The learner with the best value at the largest size is first."
            + _note_left_out(len(rows)),
        )
    ]


def _write_rows(mean: float | None) -> str:
    """Return the mean number of rows over the splits, as a whole number."""
    return write_number(None if mean is None else round(mean))


def _describe_curves(result: LearningCurveResultDict) -> list[str]:
    """Return a sentence for each learner; of many, how many have which decision."""
    if len(result["curves"]) > MAX_CURVES:
        decisions = [curve["saturation"]["decision"] for curve in result["curves"].values()]
        parts = [
            f"{words} for {decisions.count(decision)}"
            for decision, words in CURVE_COUNTS.items()
            if decision in decisions
        ]
        return [f"Of {len(decisions)} learners, {join_words(parts)}."]
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
        rows.append(
            [
                name,
                _name_selected(result, risk) or MISSING,
                write_estimate(risk["estimate"], risk["standard_error"]),
                write_ends(interval, risk["standard_error"]),
                write_number(risk.get("target_risk")),
            ]
        )
    table = Table(
        caption="What each estimator of the risk selects",
        columns=[
            "Estimator",
            "Selects",
            "Estimated loss",
            f"{_find_level(result)}interval",
            "Loss on the target",
        ],
        rows=rows,
        numbers=frozenset({2, 3, 4}),
        note="The loss on the target is known only where the target sample has labels.",
    )
    return [table, _tabulate_weights(result["weights"])]


def _describe_importance(result: ImportanceWeightingResultDict) -> list[str]:
    sentences = []
    for name, risk in result["risks"].items():
        chosen = _name_selected(result, risk)
        error = risk["standard_error"]
        text = f"The risk estimator {name.replace('_', ' ')} "
        text += f"selects {chosen}, with an estimated loss of " if chosen else "gives a loss of "
        text += write_estimate(risk["estimate"], error)
        if risk["interval"] is not None:
            ends = write_ends(risk["interval"], error)
            text += f" ({_find_level(result)}interval {ends})"
        sentences.append(f"{text}.")
    return [*sentences, _describe_sample_size(result["weights"])]


def _name_selected(result: ImportanceWeightingResultDict, risk: Any) -> str:
    """Return what a risk estimator selects, as ``log with penalty 1``; empty if it is nothing."""
    learner, value = risk.get("selected_learner"), risk.get("selected")
    if value is None:
        return "" if learner is None else str(learner)
    grids = {name: each["grid"] for name, each in result.get("learners", {}).items()}
    grid = result.get("grid") if learner is None else grids.get(learner)
    parameter = None if grid is None else grid["parameter"]
    words = f"{parameter} {write_number(value)}" if parameter else write_number(value)
    return words if learner is None else f"{learner} with {words}"


def _find_level(result: ImportanceWeightingResultDict) -> str:
    """Return the level of the intervals with a space after it; empty if there are none."""
    intervals = [risk["interval"] for risk in result["risks"].values()]
    return next((f"{write_level(one['level'])} " for one in intervals if one is not None), "")


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
        has_undecided = any(claim.get("undecided_because") for claim in result["claims"])
        because = ["Undecided because"] * has_undecided
        tables.insert(
            0,
            Table(
                caption="Claims of the source",
                columns=["Claim", "Verdict", "Measured", "Number", "Place", *because],
                rows=[
                    [
                        claim["text"],
                        claim["verdict"],
                        claim["measured"],
                        write_estimate(claim["figure"], claim["standard_error"]),
                        claim["place"],
                        *[claim.get("undecided_because", "")] * len(because),
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
    if value is None or not error or error <= TINY * abs(value):
        return write_number(value)
    return f"{write_estimate(value, error)} (± {write_number(float(f'{error:.2g}'))})"


def _describe_study(result: StudyResultDict) -> list[str]:
    """Return what the study shows: its claims, its coverage, its tests, or only its size."""
    repetitions = describe_repetitions(result["study"])
    tables = {table["name"]: table["rows"] for table in result["tables"]}
    sentences = []
    if result["claims"]:
        verdicts = [claim["verdict"] for claim in result["claims"]]
        sentences.append(_count_claims(verdicts))
    sentences += _describe_coverage(tables.get("intervals", ()))
    sentences += _describe_rejections(tables.get("tests", ()))
    if not sentences:
        outputs = [(len(tables), "table"), (len(result.get("figures") or ()), "figure")]
        shown = [count(n, noun) for n, noun in outputs if n]
        made = f" It shows {join_words(shown)}." if shown else ""
        return [f"The study has {repetitions}.{made}"]
    return [*sentences, f"The study has {repetitions}."]


def _count_claims(verdicts: Sequence[str]) -> str:
    """Return how many claims of a source hold, fail and are undecided."""
    n_hold, n_fail = verdicts.count("holds"), verdicts.count("fails")
    n_undecided = len(verdicts) - n_hold - n_fail
    parts = [
        f"{n_hold} {'holds' if n_hold == 1 else 'hold'}",
        f"{n_fail} {'fails' if n_fail == 1 else 'fail'}",
        f"{n_undecided} {'is' if n_undecided == 1 else 'are'} undecided",
    ]
    return f"Of {count(len(verdicts), 'claim')} of the source, {join_words(parts)}."


def _describe_coverage(rows: Sequence[Json]) -> list[str]:
    """Return how often the intervals of each level contained the truth of their own target."""
    recommended = [row for row in rows if row.get("interval") == "recommended"]
    by_level: dict[float, list[float]] = {}
    for row in recommended or rows:
        cell = row.get("coverage")
        if isinstance(cell, Mapping) and cell["value"] is not None and "level" in row:
            by_level.setdefault(row["level"], []).append(cell["value"])
    sentences = []
    for level, shares in sorted(by_level.items(), reverse=True):
        kind = "recommended interval" if recommended else "interval"
        number = "" if len(shares) == 1 else f"{len(shares)} "
        plural = "" if len(shares) == 1 else "s"
        sentences.append(
            f"The {number}{kind}{plural} of level {write_level(level)} contained the truth of the "
            f"target in {_write_range(shares)} of the repetitions."
        )
    return sentences


def _describe_rejections(rows: Sequence[Json]) -> list[str]:
    """Return how often tests rejected where the models are equal, and where they differ."""
    sentences = []
    for meaning, words in (("size", "equal"), ("power", "unequal")):
        shares = [
            row["rejected"]["value"]
            for row in rows
            if row.get("is") == meaning and row["rejected"]["value"] is not None
        ]
        if shares:
            subject = "The test" if len(shares) == 1 else f"The {len(shares)} tests"
            sentences.append(
                f"{subject} found a difference between {words} models in {_write_range(shares)} of "
                "the repetitions."
            )
    return sentences


def _write_range(shares: Sequence[float]) -> str:
    """Return the smallest and the largest of several shares, in per cent."""
    low, high = (f"{100 * end:.3g}" for end in (min(shares), max(shares)))
    return f"{low if low == high else f'{low} to {high}'}\N{NO-BREAK SPACE}%"


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

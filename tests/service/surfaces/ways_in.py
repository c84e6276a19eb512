"""Every question about results in every way that data come in: a small input of each."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import thetahat as untyped
from tests.service.kinds.model_logs import harness_samples
from tests.service.kinds.run_requests import parquet_file, run_kind
from tests.service.kinds.test_logs import JSONL, uploaded
from thetahat_service.cli import main

thetahat: Any = untyped
N: Final = 60
RNG: Final = np.random.default_rng(36)
TRUTH: Final = [int(i % 3 == 0) for i in range(N)]
LOSSES: Final = {
    name: (RNG.random(N) < rate).astype(int).tolist() for name, rate in (("new", 0.2), ("old", 0.4))
}
PREDICTED: Final = {
    name: [t ^ e for t, e in zip(TRUTH, errors, strict=True)] for name, errors in LOSSES.items()
}
SCORES: Final = {
    name: np.round(0.3 + 0.4 * np.array(said) + 0.2 * RNG.random(N), 3).tolist()
    for name, said in PREDICTED.items()
}
LANGUAGE: Final = [("de", "en", "fr")[i % 3] for i in range(N)]
LABELS: Final = {
    name: [v if i % 2 else None for i, v in enumerate(values)] for name, values in LOSSES.items()
}
COSTS: Final = {"new": [0.2] * N, "old": [1.0 + i % 2 for i in range(N)]}
ITEM: Final = [i // 3 for i in range(N)]
RUN: Final = [i % 3 for i in range(N)]
SETS: Final = {"m": [["a"] if i % 4 else ["a", "b"] for i in range(N)]}
SET_TRUTH: Final = [("a", "a", "b")[i % 3] for i in range(N)]
TIMES: Final = [f"2026-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(N)]
GATE: Final = {"model": "new", "against": "old", "require": "not_worse"}
ONE_SET: Final = {"kind": "losses", "blocks": "holdout", "margin": 0.5}
JUDGED: Final = {"kind": "predictions", "blocks": "holdout", "margin": 0.5, "loss": "brier"}

Result = dict[str, Any]
Cell = Callable[[Path], Result]


class Way(NamedTuple):
    """How data come in for a question."""

    text: str
    """The field or option by which they do, or why they do not."""
    run: Cell | None = None
    """The result of a small input; None where there is no field or option."""
    refused: str | None = None
    """Part of the message where the input is refused."""
    is_answered: Callable[[Result], object] | None = None
    """Whether a result answers the question; None if as in the other ways."""


class Question(NamedTuple):
    """A question about results, in every way that data come in."""

    name: str
    shown: str
    """Words of the page of a result that answers it."""
    is_answered: Callable[[Result], object]
    """Whether a result answers it."""
    ways: tuple[Way, ...]
    """One for each of ``WAYS``."""


@dataclass(frozen=True)
class Post:
    """The result of a request as it is sent."""

    request: Result

    def __call__(self, _: Path) -> Result:
        """Return the result."""
        return run_kind(self.request).result


def post_with_data(request: Result, columns: Mapping[str, Sequence[Any]]) -> Cell:
    """Return the result of a request about an uploaded data set of these columns."""

    def run(folder: Path) -> Result:
        file = parquet_file(folder, columns)
        return run_kind({**request, "dataset": str(file.id)}, [file]).result

    return run


def post_with_logs(request: Result, logs: Result, runs: int = 1) -> Cell:
    """Return the result of a request about logs of two models, of so many runs of each item."""

    def run(folder: Path) -> Result:
        entries, files = [], []
        for model, errors in LOSSES.items():
            for k in range(runs):
                scores = {i: float(1 - errors[(i + k) % N]) for i in range(N)}
                file = uploaded(folder, f"{model}-{k}", JSONL, harness_samples(scores))
                files.append(file)
                entries.append({"dataset": str(file.id), "model": model, "task": "t"})
        sent = {"files": entries, "score": "exact_match", **logs}
        return run_kind({**request, "logs": sent}, files).result

    return run


def call(function: str, *arguments: Any, **options: Any) -> Cell:
    """Return the result of a function of the library."""
    return lambda _: thetahat.to_json(getattr(thetahat, function)(*arguments, **options))


def command(name: str, columns: Mapping[str, Sequence[Any]], *options: str) -> Cell:
    """Return the result that a command prints about a table of these columns."""

    def run(folder: Path) -> Result:
        path, printed, errors = folder / "table.csv", io.StringIO(), io.StringIO()
        rows = zip(*columns.values(), strict=True)
        texts = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
        path.write_text("\n".join([",".join(columns), *texts]) + "\n")
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
            status = main([name, str(path), *options, "--json"])
        if status not in (0, 1):
            raise AssertionError(f"{name} {options}: {errors.getvalue()}")
        result: Result = json.loads(printed.getvalue())
        return result

    return run


def compare(columns: Mapping[str, Sequence[Any]], *options: str) -> Cell:
    """Return the comparison of two columns of losses."""
    return command("compare", columns, *MODELS, "--blocks", "holdout", *options)


def gate(columns: Mapping[str, Sequence[Any]], *options: str) -> Cell:
    """Return the gate of two columns of losses."""
    asked = ("--model", "new", "--against", "old", "--margin", "0.5", "--better", "lower")
    return command("gate", columns, *asked, "--blocks", "holdout", *options)


MODELS: Final = ("--model", "new", "--model", "old", "--better", "lower")


def each_model(part: str) -> Callable[[Result], object]:
    """Return whether each model of a result has this part."""
    return lambda result: all(model.get(part) for model in result["models"].values())


def each_pair(part: str) -> Callable[[Result], object]:
    """Return whether each comparison of a result has this part."""
    return lambda result: all(pair.get(part) for pair in result["comparisons"])


def has_variance(name: str) -> Callable[[Result], object]:
    """Return whether the recommended intervals of all models rest on this variance."""
    return lambda result: all(
        interval["variance"] == name
        for model in result["models"].values()
        for interval in model["recommended"].values()
    )


def is_about_loss(result: Result) -> bool:
    """Whether a result has an interval for the mean of its loss."""
    return all(model["recommended"] for model in result["models"].values())


def rename(prefix: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns under names with a prefix."""
    return {prefix + name: values for name, values in columns.items()}


WAYS: Final = ("request", "data set", "logs", "Python", "command", "gate", "cross-validation")
GRADES: Final = {
    name: [1 - value if i % 5 == 0 else value for i, value in enumerate(values)]
    for name, values in LOSSES.items()
}
IN_SETS: Final = {label: [int(label in each) for each in SETS["m"]] for label in ("a", "b")}
LOWER, UPPER = [0.4] * N, [0.7] * N
BY_COLUMN: Final = ("--judge", "new=jnew", "--judge", "old=jold")
COST_COLUMNS: Final = ("--cost", "new=cnew", "--cost", "old=cold")
GRADED: Final = {**LABELS, **rename("j", GRADES)}
WITH_COSTS: Final = {**LOSSES, **rename("c", COSTS)}
NAMES: Final = list(LOSSES)
OF_PREDICTIONS: Final = "send a request"
X: Final = np.round(RNG.normal(size=(N, 2)), 3)
Y: Final = np.round(X[:, 0] + RNG.normal(size=N), 3).tolist()
PAIRWISE: Final = {"include": ["relative", "wins"]}


def ask_gate(request: Result, **more: Any) -> Cell:
    """Return the result of a request with a gate."""
    return Post({**request, "gate": {**GATE, **more}})


def cross_validate(data: Mapping[str, Any] | None = None, **fields: Any) -> Cell:
    """Return the cross-validation of two learners on data with these columns beside X and y."""
    learners = {"ridge": "ridge", "mean": "mean"}
    if fields.get("task") == "classification":
        learners = {"lda": "linear_discriminant", "logistic": "logistic_regression"}
    request = {
        "kind": "cross_validation",
        "data": {"X": X.tolist(), "y": Y, **(data or {})},
        "task": "regression",
        "learners": learners,
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
        "margin": 0.5,
    }
    return Post({**request, **fields})


QUESTIONS: Final = (
    Question(
        "groups",
        "language",
        each_model("groups"),
        (
            Way("`groups`", Post({**ONE_SET, "losses": LOSSES, "groups": {"language": LANGUAGE}})),
            Way(
                "`columns.groups`",
                post_with_data(
                    {**ONE_SET, "columns": {"losses": NAMES, "groups": ["language"]}},
                    {**LOSSES, "language": LANGUAGE},
                ),
            ),
            Way("`logs.groups`", post_with_logs({"kind": "losses"}, {"groups": ["doc.subject"]})),
            Way("`groups=`", call("evaluate", LOSSES, blocks="holdout", groups={"l": LANGUAGE})),
            Way("`--group`", compare({**LOSSES, "language": LANGUAGE}, "--group", "language")),
            Way(
                "`no_group_worse`",
                gate(
                    {**LOSSES, "language": LANGUAGE},
                    *("--group", "language", "--require", "no_group_worse"),
                ),
            ),
            Way("`data.groups`", cross_validate({"groups": {"language": LANGUAGE}})),
        ),
    ),
    Question(
        "grades of a judge",
        "judge",
        each_model("judge"),
        (
            Way("`judge`", Post({**ONE_SET, "losses": LABELS, "judge": {"losses": GRADES}})),
            Way(
                "`columns.judge`",
                post_with_data(
                    {
                        **ONE_SET,
                        "columns": {"losses": NAMES, "judge": {"losses": ["jnew", "jold"]}},
                    },
                    GRADED,
                ),
            ),
            Way(
                "refused: logs are whole",
                post_with_logs({"kind": "losses", "judge": {"losses": GRADES}}, {}),
                "logs does not go with a judge",
            ),
            Way("`judge=`", call("evaluate", LABELS, blocks="holdout", judge={"losses": GRADES})),
            Way("`--judge`", compare(GRADED, *BY_COLUMN)),
            Way("`--judge`", gate(GRADED, *BY_COLUMN)),
            Way("no: every row has its label"),
        ),
    ),
    Question(
        "runs of an item",
        "runs",
        each_model("runs"),
        (
            Way(
                "`item`, `run`, `pass_at`",
                Post({**ONE_SET, "losses": LOSSES, "item": ITEM, "run": RUN, "pass_at": [2]}),
            ),
            Way(
                "`columns.item`, `columns.run`",
                post_with_data(
                    {**ONE_SET, "columns": {"losses": NAMES, "item": "item", "run": "run"}},
                    {**LOSSES, "item": ITEM, "run": RUN},
                ),
            ),
            Way("by themselves", post_with_logs({"kind": "losses"}, {}, 3)),
            Way(
                "`item=`, `run=`, `pass_at=`",
                call("evaluate", LOSSES, blocks="holdout", item=ITEM, run=RUN, pass_at=[2]),
            ),
            Way(
                "`--item`, `--run`, `--pass-at`",
                compare(
                    {**LOSSES, "item": ITEM, "seed": RUN},
                    *("--item", "item", "--run", "seed", "--pass-at", "2"),
                ),
            ),
            Way(
                "`--item`, `--run`",
                gate({**LOSSES, "item": ITEM, "seed": RUN}, "--item", "item", "--run", "seed"),
            ),
            Way("`seeds`", cross_validate(seeds=2), is_answered=each_model("seeds")),
        ),
    ),
    Question(
        "order of time",
        "time",
        has_variance("newey_west"),
        (
            Way("`time`", Post({**ONE_SET, "losses": LOSSES, "time": TIMES})),
            Way(
                "`columns.time`",
                post_with_data(
                    {**ONE_SET, "columns": {"losses": NAMES, "time": "time"}},
                    {**LOSSES, "time": TIMES},
                ),
            ),
            Way(
                "refused: items have no order",
                post_with_logs({"kind": "losses", "time": TIMES}, {}),
                "time is not for logs",
            ),
            Way("`time=`", call("evaluate", LOSSES, blocks="holdout", time=TIMES)),
            Way("`--time`", compare({**LOSSES, "time": TIMES}, "--time", "time")),
            Way("`--time`", gate({**LOSSES, "time": TIMES}, "--time", "time")),
            Way(
                "`data.time`",
                cross_validate({"time": TIMES}, scheme="time_series"),
                is_answered=is_about_loss,
            ),
        ),
    ),
    Question(
        "cost",
        "cost",
        each_model("cost"),
        (
            Way("`cost`", Post({**ONE_SET, "losses": LOSSES, "cost": COSTS})),
            Way(
                "`columns.cost`",
                post_with_data(
                    {
                        **ONE_SET,
                        "columns": {"losses": NAMES, "cost": {"new": "cnew", "old": "cold"}},
                    },
                    WITH_COSTS,
                ),
            ),
            Way(
                "`logs.cost`, or `cost` of a model",
                post_with_logs({"kind": "losses", "cost": {"new": 1, "old": 2}}, {}),
            ),
            Way("`cost=`", call("evaluate", LOSSES, blocks="holdout", cost=COSTS)),
            Way("`--cost`", compare(WITH_COSTS, *COST_COLUMNS)),
            Way("`cheaper_by`", gate(WITH_COSTS, *COST_COLUMNS, "--cheaper-by", "0.1")),
            Way("`cost`", cross_validate(cost={"ridge": 2, "mean": 1})),
        ),
    ),
    Question(
        "relative difference, wins",
        "Win rate",
        lambda result: each_pair("relative")(result) and each_pair("wins")(result),
        (
            Way("`include`", Post({**ONE_SET, "losses": LOSSES, **PAIRWISE})),
            Way(
                "`include`",
                post_with_data({**ONE_SET, "columns": {"losses": NAMES}, **PAIRWISE}, LOSSES),
            ),
            Way("`include`", post_with_logs({"kind": "losses", **PAIRWISE}, {})),
            Way("`include=`", call("evaluate", LOSSES, blocks="holdout", **PAIRWISE)),
            Way("always", compare(LOSSES)),
            Way("no: a margin is a difference"),
            Way("`include`", cross_validate(include=PAIRWISE["include"])),
        ),
    ),
    Question(
        "probabilities",
        "calibration",
        each_model("probabilities"),
        (
            Way(
                "`probabilities`",
                Post({**JUDGED, "y": TRUTH, "scores": SCORES, "probabilities": True}),
            ),
            Way(
                "`probabilities`",
                post_with_data(
                    {
                        **JUDGED,
                        "columns": {"target": "y", "scores": {"new": "new", "old": "old"}},
                        "probabilities": True,
                    },
                    {"y": TRUTH, **SCORES},
                ),
            ),
            Way("no: logs have scores of items"),
            Way(
                "`probabilities=`",
                call(
                    "evaluate_predictions",
                    TRUTH,
                    scores=SCORES,
                    loss="brier",
                    blocks="holdout",
                    probabilities=True,
                ),
            ),
            Way(OF_PREDICTIONS),
            Way(
                "of a request",
                ask_gate({**JUDGED, "y": TRUTH, "scores": SCORES, "probabilities": True}),
            ),
            Way(
                "`probabilities`",
                cross_validate(
                    {"y": TRUTH}, task="classification", loss="brier", probabilities=True
                ),
            ),
        ),
    ),
    Question(
        "prediction sets",
        "mean loss of m is",
        is_about_loss,
        (
            Way("`sets`", Post({**JUDGED, "loss": "miscoverage", "y": SET_TRUTH, "sets": SETS})),
            Way(
                "`columns.sets`",
                post_with_data(
                    {
                        **JUDGED,
                        "loss": "miscoverage",
                        "classes": ["a", "b"],
                        "columns": {"target": "y", "sets": {"m": ["a", "b"]}},
                    },
                    {"y": SET_TRUTH, **IN_SETS},
                ),
            ),
            Way("no: logs have scores of items"),
            Way(
                "`sets=`",
                call(
                    "evaluate_predictions",
                    SET_TRUTH,
                    sets=SETS,
                    loss="miscoverage",
                    blocks="holdout",
                ),
            ),
            Way(OF_PREDICTIONS),
            Way(
                "of a request",
                ask_gate(
                    {
                        **JUDGED,
                        "loss": "miscoverage",
                        "y": SET_TRUTH,
                        "sets": {"new": SETS["m"], "old": [["a"]] * N},
                    }
                ),
            ),
            Way("no: learners predict one label"),
        ),
    ),
    Question(
        "prediction limits",
        "mean loss of m is",
        is_about_loss,
        (
            Way(
                "`limits`",
                Post(
                    {
                        **JUDGED,
                        "loss": "interval_score",
                        "y": SCORES["new"],
                        "limits": {"m": {"lower": LOWER, "upper": UPPER}},
                    }
                ),
            ),
            Way(
                "`columns.limits`",
                post_with_data(
                    {
                        **JUDGED,
                        "loss": "interval_score",
                        "columns": {
                            "target": "y",
                            "limits": {"m": {"lower": "low", "upper": "high"}},
                        },
                    },
                    {"y": SCORES["new"], "low": LOWER, "high": UPPER},
                ),
            ),
            Way("no: logs have scores of items"),
            Way(
                "`limits=`",
                call(
                    "evaluate_predictions",
                    SCORES["new"],
                    limits={"m": {"lower": LOWER, "upper": UPPER}},
                    loss="interval_score",
                    blocks="holdout",
                ),
            ),
            Way(OF_PREDICTIONS),
            Way(
                "of a request",
                ask_gate(
                    {
                        **JUDGED,
                        "loss": "interval_score",
                        "y": SCORES["new"],
                        "limits": {
                            "new": {"lower": LOWER, "upper": UPPER},
                            "old": {"lower": LOWER, "upper": [1.0] * N},
                        },
                    }
                ),
            ),
            Way("no: learners predict one value"),
        ),
    ),
    Question(
        "agreement of raters",
        "kappa",
        lambda result: result["coefficients"],
        (
            Way("kind `agreement`", Post({"kind": "agreement", "ratings": PREDICTED})),
            Way(
                "`columns.ratings`",
                post_with_data({"kind": "agreement", "columns": {"ratings": NAMES}}, PREDICTED),
            ),
            Way("no: logs have scores of items"),
            Way("`measure_agreement`", call("measure_agreement", PREDICTED)),
            Way(
                "`thetahat agreement`",
                command("agreement", PREDICTED, "--rater", "new", "--rater", "old"),
            ),
            Way("no: raters are no release"),
            Way("no: raters are not trained"),
        ),
    ),
)


def write_table() -> str:
    """Return the Markdown table of the documentation."""
    lines = [f"| | {' | '.join(WAYS)} |", "|" + "---|" * (len(WAYS) + 1)]
    lines += [
        f"| {question.name} | {' | '.join(way.text for way in question.ways)} |"
        for question in QUESTIONS
    ]
    return "\n".join(lines) + "\n"

"""Logs and result files of evaluation tools: what their columns are for, and what they answer."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from thetahat.roles.long_tables import LongColumns, Values, list_labels
from thetahat.roles.names import is_label_name, is_name_of
from thetahat.roles.questions import list_questions_of_long_table
from thetahat.tables.column_profiles import ColumnProfile
from thetahat_service.data.base import FORM, UNFINISHED
from thetahat_service.data.evaluation_tools.base import COST_PREFIX, ERROR
from thetahat_service.data.list_scores import SCORE_PREFIX, ScoreColumns, list_scores
from thetahat_service.data.reading import ReadableFile, find_types

LOG_TYPES: Final = {
    "application/vnd.inspect-ai.log": "a log of inspect_ai",
    "application/json": "a log of inspect_ai",
}
"""What files of these media types are, unless they are of another tool."""
HARNESS_COLUMNS: Final = frozenset({"doc_id", "doc_hash"})
"""Columns that the samples of lm-evaluation-harness have."""
ITEM_COLUMNS: Final = ("item", "doc_id", "id")
NOT_SCORES: Final = re.compile(
    r"(doc|arguments|metadata|target|resps|cost)(\..*)?|epoch|error|.*_hash"
)
ROLES: Final = {
    "model": ("model of the row", "has the name of the model"),
    "task": ("task", "has the name of the task"),
    "epoch": ("run", "tells the runs of an item apart"),
    "filter": ("filter", "tells the scores of an item apart: --filter chooses one"),
    "doc_hash": ("hash", "tells whether items of one id are the same"),
    "input_hash": ("hash", "tells whether models were asked the same"),
    ERROR: ("error", "has the reason why a run has no score"),
}
"""The role of columns that logs of all tools have, and why."""
NUMERIC_TYPES: Final = frozenset({"number", "integer", "boolean"})
THE_MODEL: Final = "the model"


class Export(NamedTuple):
    """A table that a tool exported."""

    tool: str
    item: str
    """The column by which the rows of two such tables are matched."""
    scores: tuple[str, ...]
    """The columns of metrics."""

    def describe(self) -> str:
        """Return what the table is and how it is compared, as sentences."""
        listed = ", ".join(map(repr, self.scores[:8]))
        options = f"--item {shlex.quote(self.item)} --score {shlex.quote(self.scores[0])}"
        return (
            f"The file is a table of {self.tool}, whose columns {listed} are metrics of one model, "
            "not models. Give the table of the other model, too: thetahat compare FILE OTHER "
            f"{options} (or another of them)."
        )

    def name_roles(self, names: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return the role of each column, and why."""
        roles = dict.fromkeys(names, ("detail", "is not compared"))
        roles |= dict.fromkeys(self.scores, ("score", "has a metric of the one model"))
        return roles | {self.item: ("item", "names the items, by which models are paired")}


class _Kind(NamedTuple):
    """How the exports of a tool are known."""

    tool: str
    items: tuple[str, ...]
    """Columns of the items, the first ones first; all of them are of this tool's tables."""
    score: re.Pattern[str]


_RAGAS: Final = (
    r"(answer_|response_|context_|context_entity_|llm_context_|non_llm_context_|semantic_|factual_|"
    r"noise_)?(faithfulness|relevancy|precision|recall|correctness|similarity|sensitivity|"
    r"utilization|bleu_score|rouge_score|aspect_critic)(\(mode=\w+\))?|"
    r"(llm_context_precision|context_precision)_with(out)?_reference|nv_\w+"
)
_KINDS: Final = (
    _Kind("ragas", ("user_input", "question"), re.compile(_RAGAS)),
    _Kind("MLflow", ("inputs", "request", "question"), re.compile(r".+/(v\d+/score|value)")),
    _Kind(
        "LangSmith",
        ("example_id", "inputs.question", "inputs.input", "inputs", "id"),
        re.compile(r"feedback\.(?!.*comment).+"),
    ),
    _Kind("Braintrust", ("input", "id"), re.compile(r"scores\..+")),
    _Kind(
        "Phoenix",
        ("attributes.input.value", "example_id", "context.span_id", "span_id"),
        re.compile(r"eval\..+\.score"),
    ),
)
_ANSWER: Final = re.compile(
    r"response|answer|outputs?|context\.span_id|(outputs|attributes\.output)\..+"
)
"""Names of the column with the one model's answer."""


def find_export(names: Sequence[str]) -> Export | None:
    """Return the export of a tool that has such columns; None if it is unknown."""
    if not any(map(_ANSWER.fullmatch, names)):
        return None
    for kind in _KINDS:
        scores = tuple(name for name in names if kind.score.fullmatch(name))
        item = next((name for name in kind.items if name in names), None)
        if scores and item is not None:
            return Export(kind.tool, item, scores)
    return None


def name_log(file: ReadableFile) -> str | None:
    """Return what a log or a result file of an evaluation tool is; None for other files."""
    tool = file.details.get("tool")
    if isinstance(tool, str):
        return f"a result file of {tool}"
    columns = {str(column["name"]) for column in file.columns}
    if file.media_type in LOG_TYPES and FORM not in file.details:
        return LOG_TYPES[file.media_type]
    is_of_harness = columns >= HARNESS_COLUMNS
    return "a file of samples of lm-evaluation-harness" if is_of_harness else None


def find_log_scores(file: ReadableFile) -> dict[str, ScoreColumns]:
    """Return the columns of each score of a log by its name; of other files, what may be one."""
    numeric = [name for name, kind in find_types(file).items() if kind in NUMERIC_TYPES]
    known = list_scores(numeric)
    if any(columns.value.startswith(SCORE_PREFIX) for columns in known.values()):
        return {n: c for n, c in known.items() if c.ratio or c.value.startswith(SCORE_PREFIX)}
    return {
        name: columns
        for name, columns in known.items()
        if columns.ratio
        or not (NOT_SCORES.fullmatch(name) or is_label_name(name) or is_name_of("target", name))
    }


def describe_log(
    file: ReadableFile, profiles: Mapping[str, ColumnProfile], read_values: Values
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return the role of each column of a log with the reason, and the questions it answers."""
    scores = find_log_scores(file)
    parts = {part for score in scores.values() for part in (score.value, score.size)}
    present = {str(column["name"]) for column in file.columns}
    item = next(name for name in ITEM_COLUMNS if name in present)
    roles = dict.fromkeys(profiles, ("detail", "is not compared"))
    roles |= {name: role for name, role in ROLES.items() if name in profiles}
    roles |= {
        name: ("score", "has scores") if name in parts else ("cost", "has what runs cost")
        for name in profiles
        if name in parts or name.startswith(COST_PREFIX)
    }
    roles[item] = ("item", "names the items, by which models are paired")

    def read_cells(name: str) -> list[str]:
        return [str(value) for value in read_values(name)] if name in profiles else [""] * n

    n = len(read_values(item))
    models, tasks, filters = map(read_cells, ("model", "task", "filter"))
    items = list(zip(tasks, read_cells(item), strict=True))
    free = {name: p for name, p in profiles.items() if roles[name][0] == "detail"}
    labels = list_labels(free, items, read_values)
    roles |= {label.name: ("label", label.reason) for label in labels}
    columns = LongColumns(
        model="model" if "model" in profiles else None,
        item=item,
        score=" or ".join(map(repr, scores)) or "no column of numbers",
        task="task" if len({*tasks}) > 1 else None,
        runs=(),
        models=tuple(dict.fromkeys(models)) if "model" in profiles else (THE_MODEL,),
        n_runs=max(Counter(zip(models, items, filters, strict=True)).values()),
        labels=tuple(labels),
    )
    questions = list_questions_of_long_table(columns, len({*items}))
    if len(columns.models) == 1:
        questions.append(
            "To compare the model with another one, give the file of that one, too: thetahat "
            "compare FILE OTHER."
        )
    return roles, [*questions, *_list_choices(file, scores, sorted({*filters}))]


def _list_choices(
    file: ReadableFile, scores: Mapping[str, ScoreColumns], filters: list[str]
) -> list[str]:
    """Return what has to be said before a log is compared, and what else it says of its runs."""
    sentences = []
    if len(scores) > 1:
        options = ", ".join(f"--score {shlex.quote(name)}" for name in scores)
        sentences.append(f"Which score is meant has to be said: {options}.")
    if len(filters) > 1:
        options = ", ".join(f"--filter {shlex.quote(name)}" for name in filters)
        sentences.append(f"Each item has the scores of several filters: {options}.")
    costs = [str(c["name"]) for c in file.columns if str(c["name"]).startswith(COST_PREFIX)]
    if costs:
        options = ", ".join(f"--cost {name.removeprefix(COST_PREFIX)}" for name in costs)
        sentences.append(f"What the runs cost: yes, with {options}.")
    notes = (file.details.get(key) for key in (UNFINISHED, "failed_runs"))
    return [*sentences, *(f"{note}." for note in notes if isinstance(note, str))]

"""The form of a new evaluation: its choices with their explanations, and the request it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from thetahat.losses import get_default_loss
from thetahat.roles.names import name_unit
from thetahat.schemes import SCHEMES as REGISTERED_SCHEMES
from thetahat_service.json_types import ColumnDescription, MethodDescription
from thetahat_service.pages.form_proposals import FormProposals
from thetahat_service.pages.sent_form import (
    FieldPaths,
    Fields,
    FormProblems,
    SentForm,
    read_number,
    read_text,
)

PARTS: Final = {
    "cross_validation": "Data to learn from: learners are trained and tested on parts of the file",
    "predictions": "Predictions: a column of true values, and a column of predictions per model",
    "losses": "Losses or scores: numbers for each tested instance and model",
}
"""What a file may hold, by the kind of evaluation."""

SCHEMES: Final = (
    "k_fold",
    "stratified_k_fold",
    "repeated_k_fold",
    "leave_one_source_out",
    "source_k_fold",
    "holdout",
    "leave_one_out",
    "time_series",
    "predefined",
)
LEARNERS: Final = {
    "regression": (
        "mean",
        "ridge",
        "RandomForestRegressor",
        "HistGradientBoostingRegressor",
        "KNeighborsRegressor",
        "least_squares",
        "Lasso",
        "DecisionTreeRegressor",
    ),
    "classification": (
        "majority",
        "logistic_regression",
        "RandomForestClassifier",
        "HistGradientBoostingClassifier",
        "KNeighborsClassifier",
        "linear_discriminant",
        "gaussian_naive_bayes",
        "DecisionTreeClassifier",
    ),
}
"""Learners that the form offers first, by task; every other one is offered by name."""
BASELINES: Final = frozenset({"mean", "majority"})
BY_TARGET: Final = "by_target"
"""What the form sends where the values of the target decide the task."""
NO_TASK: Final = "Say whether the task is a regression or a classification."
BLOCKS: Final = {
    "holdout": "one test set",
    "random": "folds drawn at random",
    "source": "sources, such as sites, subjects or customers",
}
COLUMNS_OF_BLOCKS: Final = {
    "random": "the fold of each row",
    "source": "the source of each row, such as its site",
}
ROLES: Final = ("source", "cluster", "time", "fold")
NUMBER_TYPES: Final = frozenset({"number", "integer"})
TEXT_TYPES: Final = frozenset({"string", "boolean"})

FIELD_OF_PATH: Final[FieldPaths] = {
    ("columns", "target"): "target",
    ("columns", "features"): "features",
    ("columns", "source"): "source",
    ("columns", "cluster"): "cluster",
    ("columns", "time"): "time",
    ("columns", "fold"): "fold",
    ("columns", "block"): "block",
    ("columns", "predictions"): "predictions",
    ("columns", "losses"): "losses",
    ("logs", "score"): "losses",
    ("logs", "columns", "model"): "model_column",
    ("logs", "columns", "item"): "item",
    ("logs", "columns", "task"): "item_task",
    ("logs", "cluster"): "cluster",
    ("scheme", "params", "n_folds"): "n_folds",
    ("scheme", "params", "n_repeats"): "n_repeats",
    ("scheme",): "scheme",
    ("seeds",): "seeds",
    ("learners",): "learners",
    ("loss",): "loss",
    ("task",): "task",
    ("blocks",): "blocks",
    ("better",): "better",
    ("margin",): "margin",
    ("level",): "level",
    ("unit",): "unit",
    ("name",): "name",
    ("missing",): "leave_out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOption:
    """A choice of the form with its explanation."""

    value: str
    title: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormView(SentForm):
    """The form of a new evaluation for one data set."""

    columns: Sequence[ColumnDescription]
    """Columns of the data set with name and type."""
    learners: Mapping[str, Sequence[FormOption]]
    """Choices of learners by task."""
    more_learners: Sequence[FormOption]
    """Every other learner."""
    schemes: Sequence[FormOption]
    losses: Sequence[FormOption]
    """Choices with explanations from the catalogue."""
    proposals: FormProposals = field(default_factory=FormProposals)
    """What the file seems to hold."""

    @property
    def by_target(self) -> str:
        """What is sent where the values of the target decide the task."""
        return BY_TARGET

    @property
    def parts(self) -> Mapping[str, str]:
        """What a file may hold, by kind."""
        return PARTS

    @property
    def block_kinds(self) -> Mapping[str, str]:
        """What a test block may be."""
        return BLOCKS


def build_form(
    columns: Sequence[ColumnDescription],
    catalogue: Mapping[str, Sequence[MethodDescription]],
    proposals: FormProposals,
    values: Fields | None = None,
    problems: FormProblems | None = None,
) -> FormView:
    """Return the form; ``catalogue`` has the methods of the families that it offers."""
    learners = {item["name"]: item for item in catalogue["learners"]}
    first = {
        task: [_build_choice(learners[name]) for name in names if name in learners]
        for task, names in LEARNERS.items()
    }
    offered = {choice.value for choices in first.values() for choice in choices}
    schemes = {item["name"]: item for item in catalogue["schemes"]}
    return FormView(
        columns=columns,
        learners=first,
        more_learners=[
            _build_choice(item) for name, item in learners.items() if name not in offered
        ],
        schemes=[_build_choice(schemes[name]) for name in SCHEMES],
        losses=[_build_choice(item) for item in catalogue["losses"]],
        proposals=proposals,
        values=values or {},
        problems=problems or FormProblems(),
    )


def _build_choice(item: MethodDescription) -> FormOption:
    return FormOption(
        value=item["name"],
        title=item.get("title") or item["name"],
        hint=item.get("summary") or "",
    )


def find_omissions(values: Fields, proposals: FormProposals) -> FormProblems:
    """Return what has to be chosen before a form makes a request, by field."""
    kind = read_text(values, "kind") or "cross_validation"
    target = read_text(values, "target")
    missing: dict[str, str] = {}
    if kind != "losses" and target is None:
        missing["target"] = "Choose the target: the column that is predicted."
    if kind == "cross_validation":
        missing |= _find_omissions_of_data(values, proposals)
    elif kind == "losses" and read_text(values, "model_column") is not None:
        missing |= _find_omissions_of_long_table(values, proposals)
    else:
        missing |= _find_omissions_of_columns(kind, values, proposals)
    if kind == "losses" and read_text(values, "better") is None:
        missing["better"] = "Say whether lower or higher values are better."
    if kind == "predictions" and target is not None and _choose_loss(values, proposals) is None:
        missing["loss"] = "Choose the loss."
    return FormProblems(by_field=missing)


def _find_omissions_of_data(values: Fields, proposals: FormProposals) -> dict[str, str]:
    missing: dict[str, str] = {}
    columns = [read_text(values, name) for name in ("target", *ROLES)]
    if columns[0] is not None and _choose_task(values, proposals) is None:
        missing["task"] = NO_TASK
    if not (values.get("learners") or read_text(values, "more_learners")):
        missing["learners"] = "Choose at least one learner."
    return missing | _find_missing_values(columns, values, proposals)


def _find_omissions_of_columns(
    kind: str, values: Fields, proposals: FormProposals
) -> dict[str, str]:
    """Return what is left open about a table with a column for each model."""
    missing: dict[str, str] = {}
    columns = values.get(kind, ())
    if not columns:
        missing[kind] = f"Choose the columns of {kind}, one for each model."
    blocks, block = read_text(values, "blocks"), read_text(values, "block")
    if blocks is None or (blocks == "holdout" and block is not None):
        missing["blocks"] = _ask_for_blocks(values, proposals)
    elif block is None and blocks in COLUMNS_OF_BLOCKS:
        missing["block"] = f"Choose the block: the column with {COLUMNS_OF_BLOCKS[blocks]}."
    target = read_text(values, "target") if kind == "predictions" else None
    chosen = [target, *columns, block, read_text(values, "cluster")]
    return missing | _find_missing_values(chosen, values, proposals)


def _find_missing_values(
    columns: Sequence[str | None], values: Fields, proposals: FormProposals
) -> dict[str, str]:
    """Return which of the columns lacks values, unless such rows are left out."""
    lacking = proposals.describe_missing(columns)
    return {"leave_out": lacking} if lacking and "leave_out" not in values else {}


def _find_omissions_of_long_table(values: Fields, proposals: FormProposals) -> dict[str, str]:
    missing: dict[str, str] = {}
    if len(values.get("losses", ())) != 1:
        missing["losses"] = "Choose the one column of scores of all models."
    if read_text(values, "item") is None:
        missing["item"] = "Choose the item of each row, by which the models are paired."
    blocks, has_task = read_text(values, "blocks"), read_text(values, "item_task") is not None
    if not (blocks or has_task or read_text(values, "cluster")):
        hint = f"{proposals.label_hint} " if proposals.labels else ""
        missing["blocks"] = (
            f"Say whether all items are one test set. {hint}Else choose the task or the cluster."
        )
    elif blocks == "random" or (blocks == "source" and not has_task):
        missing["blocks"] = "Items are one test set, or sources, which are named as their task."
    if read_text(values, "block") is not None:
        missing["block"] = "Here the block is the task of the item. Choose it as the task."
    return missing


def _ask_for_blocks(values: Fields, proposals: FormProposals) -> str:
    block = read_text(values, "block")
    if block is not None:
        return (
            f"Say what the values of {block} are: folds drawn at random, or sources. One test set "
            "has no block."
        )
    hint = f"{proposals.label_hint} " if proposals.labels else ""
    return f"Say what was tested together. {hint}Choose the column as the block, or one test set."


def build_request(
    values: Fields, dataset: str, columns: Sequence[ColumnDescription], proposals: FormProposals
) -> dict[str, object]:
    """Return the request that a form makes; the service checks it as any other request.

    What cannot be read as a number is left as text, so that the refusal names it.
    """
    kind = read_text(values, "kind") or "cross_validation"
    request: dict[str, object] = {"kind": kind, "dataset": dataset, "include": "all"}
    if kind == "predictions":
        _add_predictions(request, values, proposals)
    elif kind == "losses":
        _add_losses(request, values)
    else:
        _add_cross_validation(request, values, columns, proposals)
    if "leave_out" in values:
        request["missing"] = "leave_out"
    _add(request, "name", read_text(values, "name"))
    _add(request, "unit", read_text(values, "unit") or _propose_unit(request, values, proposals))
    for name in ("margin", "level"):
        _add(request, name, read_number(read_text(values, name)))
    return request


def _propose_unit(
    request: Mapping[str, object], values: Fields, proposals: FormProposals
) -> str | None:
    """Return what a source is called by the name of its column, as ``compare`` calls it."""
    if "logs" in request:
        task = read_text(values, "item_task")
        return name_unit(task if task == proposals.item_task else None)  # of several tasks
    return name_unit(read_text(values, "block")) if request.get("blocks") == "source" else None


def _add_cross_validation(
    request: dict[str, object],
    values: Fields,
    columns: Sequence[ColumnDescription],
    proposals: FormProposals,
) -> None:
    target = read_text(values, "target")
    roles = {name: read_text(values, name) for name in ROLES}
    chosen: dict[str, object] = {"target": target}
    for name, column in roles.items():
        _add(chosen, name, column)
    features = list(values.get("features", ()))
    if features:
        chosen["features"] = features
    columns_used = {target, *roles.values()}
    used = [
        c for c in columns if (c["name"] in features if features else c["name"] not in columns_used)
    ]
    steps = _list_steps(used, has_missing="fill" in values, prepares="prepare" in values)
    names = dict.fromkeys(
        [*values.get("learners", ()), *_split(read_text(values, "more_learners"))]
    )
    request["columns"] = chosen
    request["task"] = _choose_task(values, proposals)
    request["learners"] = {
        name: name if name in BASELINES or not steps else {"name": name, "prepare": steps}
        for name in names
    }
    request["scheme"] = _read_scheme(values, proposals)
    _add(request, "seeds", read_number(read_text(values, "seeds")))
    _add(request, "loss", read_text(values, "loss"))


def _choose_task(values: Fields, proposals: FormProposals) -> str | None:
    """Return the chosen task, or the one that the target's values show."""
    task = read_text(values, "task")
    return (
        proposals.tasks.get(read_text(values, "target") or "")
        if task in {None, BY_TARGET}
        else task
    )


def _choose_loss(values: Fields, proposals: FormProposals) -> str | None:
    """Return the chosen loss, else the usual one of the task that the target's values show."""
    task = proposals.tasks.get(read_text(values, "target") or "")
    return read_text(values, "loss") or (None if task is None else get_default_loss(task))


def _list_steps(
    columns: Sequence[ColumnDescription], *, has_missing: bool, prepares: bool
) -> list[dict[str, object]]:
    """Return the preparation steps for columns of these types."""
    texts = [c["name"] for c in columns if c["type"] in TEXT_TYPES]
    numbers = [c["name"] for c in columns if c["type"] in NUMBER_TYPES]
    steps: list[dict[str, object]] = []
    if has_missing and numbers:
        steps.append({"name": "impute", "columns": numbers})
    if has_missing and texts:
        strategy = {"strategy": "most_frequent"}
        steps.append({"name": "impute", "params": strategy, "columns": texts})
    if texts and prepares:
        steps.append({"name": "one_hot", "columns": texts})
    if numbers and prepares:
        steps.append({"name": "standardise", "columns": numbers})
    return steps


def _read_scheme(values: Fields, proposals: FormProposals) -> dict[str, object]:
    """Return the chosen scheme, else one that leaves sources out if a source is named."""
    name = read_text(values, "scheme") or proposals.get_scheme(read_text(values, "source") or "")
    scheme: dict[str, object] = {"name": name}
    parameters: dict[str, object] = {}
    known_parameters = _list_scheme_parameters(name)
    for name in ("n_folds", "n_repeats"):
        if name in known_parameters:
            _add(parameters, name, read_number(read_text(values, name)))
    if parameters:
        scheme["params"] = parameters
    return scheme


def _list_scheme_parameters(scheme: str) -> set[str]:
    """Return the names of a scheme's parameters; none for a name that is no scheme."""
    method: Any = REGISTERED_SCHEMES.get(scheme)
    return set() if method is None else {each.name for each in fields(method)}


def _add_predictions(request: dict[str, object], values: Fields, proposals: FormProposals) -> None:
    columns: dict[str, object] = {
        "target": read_text(values, "target"),
        "predictions": {name: name for name in values.get("predictions", ())},
    }
    _add_layout(request, columns, values)
    request["loss"] = _choose_loss(values, proposals)


def _add_losses(request: dict[str, object], values: Fields) -> None:
    _add(request, "better", read_text(values, "better"))
    model = read_text(values, "model_column")
    if model is None:
        _add_layout(request, {"losses": list(values.get("losses", ()))}, values)
        return
    columns: dict[str, object] = {"model": model, "item": read_text(values, "item")}
    _add(columns, "task", read_text(values, "item_task"))
    logs: dict[str, object] = {
        "score": values["losses"][0],
        "files": [{"dataset": request.pop("dataset")}],
        "columns": columns,
    }
    _add(logs, "cluster", read_text(values, "cluster"))
    request["logs"] = logs


def _add_layout(request: dict[str, object], columns: dict[str, object], values: Fields) -> None:
    for name in ("block", "cluster"):
        _add(columns, name, read_text(values, name))
    request["columns"] = columns
    _add(request, "blocks", read_text(values, "blocks"))


def _add(target: dict[str, object], name: str, value: Any) -> None:
    if value is not None:
        target[name] = value


def _split(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]

"""Requests about scored items: long tables, and logs of language models' evaluations."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from thetahat.roles.long_tables import LongColumns, UnclearTable, read_long_table
from thetahat.roles.names import find_better, is_name_of
from thetahat.roles.proposals import describe_faults
from thetahat.tables.labels import list_names
from thetahat_client.media import PACKED
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.table_columns import NO_PREDICTIONS, advise_on_cell, describe_reading
from thetahat_service.data.base import UNFINISHED
from thetahat_service.data.list_scores import SCORE_PREFIX
from thetahat_service.data.logs import ITEM_COLUMNS, find_log_scores
from thetahat_service.data.profiles import profile_columns
from thetahat_service.data.reading import find_types, read_labels

if TYPE_CHECKING:
    from thetahat.tables.column_profiles import ColumnProfile
    from thetahat.values.json_values import JsonValue
    from thetahat_service.kinds.base import DatasetFile

HARNESS_NAME: Final = re.compile(r"samples_(?P<task>.+?)(?P<date>_\d{4}-\d\d-\d\dT[\d:.-]+)?")
HELM_NAMES: Final = ("per_instance_stats", "display_predictions")
"""Names of HELM's files with the scores of instances; of a run's folder the first is taken."""
HELM_MODEL: Final = re.compile(r"(?:(?<=:)|,)model=(?P<model>[^,]+),?")
"""The model in the name of a folder that HELM writes: ``mmlu:subject=law,model=openai_gpt2``."""
HELM_DEPLOYMENT: Final = re.compile(r",?model_deployment=[^,]+")
HELM_SETTING: Final = re.compile(
    r"[,:](method|prompt|instructions|max_train_instances|num_train_trials|format_prompt|stop"
    r"|global_prefix|max_tokens|num_outputs|output_format_instructions)=[^,]*"
)
"""What the name of a HELM run says of how the model was asked, and not of the task."""
EVERY_EVAL_ENDING: Final = "_samples.jsonl"
LOG_ENDINGS: Final = (".eval", ".json", ".jsonl")
FORMS_OF_LOG: Final = (".eval", ".json")
"""The two forms of one log of inspect_ai."""
PART: Final = re.compile(r"part-\d+|data-\d+-of-\d+\.arrow")
"""The names of the parts of a table that Spark and Hugging Face write."""
MOST_NAME: Final = 120
MOST_SCORES: Final = 8


@dataclass(frozen=True, slots=True)
class ScoredItems:
    """A request about scored items, and how the files were understood."""

    logs: dict[str, JsonValue]
    """The field ``logs`` of the request."""
    score: str
    """The score."""
    sentences: list[str]
    """How the files were understood."""
    tasks: str | None
    """What the items' tasks are called; None if there is one."""
    unused: Sequence[str] = ()
    """Columns of a table that say nothing about models, items and scores."""


def choose_better(score: str, better: str | None) -> str:
    """Return whether lower or higher scores are better; refuse names that do not say it."""
    known = better or find_better(score)
    if known is not None:
        return known
    raise UserError(
        f"The name {score!r} does not say whether higher values are better. Give --better higher "
        "or --better lower."
    )


def read_long_file(
    data: DatasetFile,
    profiles: Mapping[str, ColumnProfile],
    named: Mapping[str, str],
    *,
    knows_blocks: bool,
) -> ScoredItems:
    """Return the request about a table with a row for each item and model."""

    def read_values(name: str) -> list[Any]:
        values: list[Any] = read_labels(data, [name])[name].tolist()
        return values

    try:
        columns = read_long_table(profiles, read_values, named)
    except UnclearTable as unclear:
        raise UserError(f"{unclear} {_advise_on_role(unclear.role, unclear.candidates)}") from None
    _check_score(profiles[columns.score])
    cluster = named.get("cluster")
    if columns.labels and not (knows_blocks or cluster or columns.task):
        first = columns.labels[0]
        name = shlex.quote(first.name)
        raise UserError(
            f"Column {first.name!r} may say which items belong together: it {first.reason}. Give "
            f"--cluster {name} if items with the same value depend on each other, --task {name} "
            "if it names their tasks or sources, or --blocks holdout if all items are independent."
        )
    wanted: dict[str, JsonValue] = {"item": columns.item, "model": columns.model}
    if columns.task is not None:
        wanted["task"] = columns.task
    file: dict[str, JsonValue] = {"dataset": str(data.id)}
    if columns.task is None and "task" in profiles:
        file["task"] = "task"  # one task, although there is a column of that name
    logs: dict[str, JsonValue] = {"score": columns.score, "files": [file], "columns": wanted}
    if cluster is not None:
        logs["cluster"] = cluster
    used = {columns.model, columns.item, columns.score, columns.task, cluster, *columns.runs}
    unused = [name for name in profiles if name not in used]
    sentences = [_describe_long(columns, cluster), *describe_reading(data, [columns.score])]
    has_tasks = columns.task is not None and len({*read_values(columns.task)}) > 1
    tasks = columns.task if has_tasks else None
    return ScoredItems(logs, columns.score, sentences, tasks, unused)


def read_logs(
    paths: Sequence[Path],
    files: Sequence[DatasetFile],
    names: Sequence[str],
    named: Mapping[str, str],
    filter_name: str | None,
) -> ScoredItems:
    """Return the request about logs, and which model and task each file has."""
    if names and len(names) != len(files):
        raise UserError(
            f"--model names the model of each log, in the order of the files: there are "
            f"{len(names)} names and {len(files)} files."
        )
    for file in files:
        _find_item_column(file, named)
    score = named.get("score") or _find_log_score(files)
    if "score" not in named and is_name_of("prediction", score):
        raise UserError(
            f"The column {score!r} seems to have predictions. {NO_PREDICTIONS}; or, if it has "
            f"scores, give --score {shlex.quote(score)}."
        )
    _check_filters(files, filter_name)
    entries = _name_models_and_tasks(paths, files, named)
    if names:
        for entry, given in zip(entries, names, strict=True):
            entry["model"] = given
    logs: dict[str, JsonValue] = {"score": score, "files": [*entries]}
    wanted: dict[str, JsonValue] = {
        role: column for role, column in named.items() if role in {"item", "model", "task"}
    }
    if wanted:
        logs["columns"] = wanted
    if filter_name is not None:
        logs["filter"] = filter_name
    if "cluster" in named:
        logs["cluster"] = named["cluster"]
    sentences = []
    for path, entry, file in zip(paths, entries, files, strict=True):
        own = ", ".join(dict.fromkeys(_read_cells(file, named.get("model", "model"))))
        name, task = entry.get("model"), f", task {entry['task']}" if "task" in entry else ""
        reason = (
            f" (the log names {own}, as another log does)" if own and name and not names else ""
        )
        sentences.append(f"{path}: model {name or own}{reason}{task}; score {score}")
        sentences += [
            f"{path}: {file.details[key]}"
            for key in (UNFINISHED, "failed_runs", "costs")
            if key in file.details
        ]
    column = named.get("task", "task")
    tasks = {
        task
        for entry, file in zip(entries, files, strict=True)
        for task in ([entry["task"]] if "task" in entry else _read_cells(file, column))
    }
    return ScoredItems(logs, score, sentences, column if len(tasks) > 1 else None)


def list_log_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files, and in the place of each folder the logs inside it."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        part = _find_part(path)
        if part is not None:
            found.append(part)
            continue
        inside = sorted(p for p in path.rglob("*") if _unpack(p).suffix.lower() in LOG_ENDINGS)
        samples = [
            p for p in inside if p.name.startswith("samples_") and _unpack(p).suffix == ".jsonl"
        ]
        samples = samples or _choose_helm_files(inside)
        samples = samples or [p for p in inside if _unpack(p).name.endswith(EVERY_EVAL_ENDING)]
        if not inside:
            raise UserError(
                f"The folder {path} has no logs: no files that end in .eval, .json or .jsonl, "
                "packed (.gz) or not. Of a table, name the file itself."
            )
        _refuse_twice(samples or inside)
        found += samples or inside
    return found


def _find_part(folder: Path) -> Path | None:
    """Return the only part of a table that a folder holds, as Spark and Hugging Face write it.

    Several parts are refused: as logs each would be a model. None where a folder has no parts.
    """
    parts = sorted(path for path in folder.rglob("*") if PART.match(path.name))
    if len(parts) < 2:
        return parts[0] if parts else None
    ending = _unpack(parts[0]).suffix.lower().lstrip(".")
    reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_ndjson"}.get(ending)
    advice = f", for example polars.{reader}('{folder}/**/part-*')" if reader else ""
    raise UserError(
        f"The folder {folder} has {len(parts)} parts of a table ({parts[0].name}, "
        f"{parts[1].name}{' and so on' if len(parts) > 2 else ''}). Write them into one file, and "
        f"name that{advice}."
    )


def _unpack(path: Path) -> Path:
    """Return a path without the ending of a packed file."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def _refuse_twice(paths: Iterable[Path]) -> None:
    """Refuse a folder that has a log in two forms, which would be counted twice."""
    seen: dict[Path, Path] = {}
    for path in paths:
        plain = _unpack(path)
        log = plain.with_suffix("") if plain.suffix.lower() in FORMS_OF_LOG else plain
        other = seen.setdefault(log, path)
        if other != path:
            forms = "packed and unpacked" if _unpack(other) == plain else "in two forms"
            raise UserError(f"{other} and {path} are one log, {forms}. Keep one of them.")


def _choose_helm_files(paths: Sequence[Path]) -> list[Path]:
    """Return the file with the scores of instances of each folder that HELM wrote."""
    chosen: dict[Path, Path] = {}
    for name in HELM_NAMES:
        for path in paths:
            if _unpack(path).name == f"{name}.json":
                chosen.setdefault(path.parent, path)
    return sorted(chosen.values())


def _read_run_name(path: Path) -> dict[str, JsonValue]:
    """Return the model and the task that the folder of a HELM run names."""
    if _unpack(path).stem not in HELM_NAMES:
        return {}
    name = HELM_DEPLOYMENT.sub("", path.resolve().parent.name)
    match = HELM_MODEL.search(name)
    if match is None:
        return {}
    rest = f"{name[: match.start()]},{name[match.end() :]}".strip(",").replace(":,", ":")
    return {"model": match["model"][:MOST_NAME], "task": rest.rstrip(":,") or name}


def _name_settings(entries: Sequence[dict[str, JsonValue]]) -> None:
    """Take settings of HELM from the tasks into the models, where a model was asked in several."""
    tasks = [str(entry.get("task", "")) for entry in entries]
    plain = [HELM_SETTING.sub("", task) for task in tasks]
    settings: dict[tuple[JsonValue, str], set[str]] = {}
    for entry, task, without in zip(entries, tasks, plain, strict=True):
        settings.setdefault((entry.get("model"), without), set()).add(task)
    several = {model for (model, _), own in settings.items() if len(own) > 1}
    for entry, task, without in zip(entries, tasks, plain, strict=True) if several else ():
        if task != without and entry.get("model") in several:
            own = ", ".join(match[0].lstrip(",:") for match in HELM_SETTING.finditer(task))
            entry["model"] = f"{entry['model']}, {own}"[:MOST_NAME]
        if without:
            entry["task"] = without


def _name_suites(paths: Sequence[Path], entries: Sequence[dict[str, JsonValue]]) -> None:
    """Add the folder above the runs of HELM to the models, where two have one model and task."""
    runs = [
        (path, entry) for path, entry in zip(paths, entries, strict=True) if _read_run_name(path)
    ]
    if len({(entry["model"], entry["task"]) for _, entry in runs}) == len(runs):
        return
    folders = [path.resolve().parents[1].parts for path, _ in runs]
    depth = 1
    while len({parts[-depth:] for parts in folders}) < len({*folders}):
        depth += 1
    for (_, entry), parts in zip(runs, folders, strict=True):
        entry["model"] = f"{entry['model']}, {'/'.join(parts[-depth:])}"[:MOST_NAME]
    if len({(entry["model"], entry["task"]) for _, entry in runs}) < len(runs):
        names = ", ".join(str(path) for path, _ in runs[:MOST_SCORES])
        raise UserError(f"Two of these files are of one run of HELM: {names}. Give one of them.")


def _name_models_and_tasks(
    paths: Sequence[Path], files: Sequence[DatasetFile], named: Mapping[str, str]
) -> list[dict[str, JsonValue]]:
    """Return the entry of each file: with a model where the file names none, or two share one."""
    entries: list[dict[str, JsonValue]] = [{"dataset": str(file.id)} for file in files]
    labels = _label_files(paths)
    rows = []
    matches = [HARNESS_NAME.fullmatch(_unpack(path).stem) for path in paths]
    split = _split_names(paths, files, matches)
    one_task = None in matches and len({match["task"] for match in matches if match}) == 1
    for i, (entry, path, file, match) in enumerate(
        zip(entries, paths, files, matches, strict=True)
    ):
        if path in split:
            task, labels[i] = split[path]
            entry.update({"task": task} if task else {})
        elif match and not (one_task or _read_cells(file, named.get("task", "task"))):
            entry["task"] = match["task"]
        entry.update(_read_run_name(path))
        models = _read_cells(file, named.get("model", "model"))
        rows.append({*zip(models, *_read_keys(file, named), strict=True)} if models else None)
    if any(map(_read_run_name, paths)):
        _name_settings(entries)
        _name_suites(paths, entries)
    for i, entry in enumerate(entries):
        own = rows[i]
        others = [other for j, other in enumerate(rows) if j != i and other is not None]
        if own is None:
            entry.setdefault("model", labels[i][:MOST_NAME])
        elif any(own & other for other in others):
            _check_one_model(paths[i], {model for model, *_ in own})
            entry["model"] = labels[i][:MOST_NAME]
    return entries


def _split_names(
    paths: Sequence[Path], files: Sequence[DatasetFile], matches: Sequence[re.Match[str] | None]
) -> dict[Path, tuple[str, str]]:
    """Return task and model by file, where names such as samples_TASK_MODEL.jsonl have both.

    The harness ends its names with a date, and has a folder for each model. Renamed files of one
    folder that have the same items are not of two tasks.
    """
    groups: dict[tuple[Path, frozenset[str]], dict[Path, str]] = {}
    for path, file, match in zip(paths, files, matches, strict=True):
        hashes = _read_cells(file, "doc_hash") if match and not match["date"] else []
        if match and hashes:
            key = path.resolve().parent, frozenset(hashes)
            groups.setdefault(key, {})[path] = match["task"]
    if all(len(names) < 2 for names in groups.values()):
        return {}
    found: dict[Path, tuple[str, str]] = {}
    models: set[tuple[str, ...]] = set()
    for names in groups.values():
        split = _split_common(list(names.values()))
        models.add(tuple(sorted(own for _, own in split)))
        found |= zip(names, split, strict=True)
    names_tasks = len(groups) == 1 or all(task for task, _ in found.values())
    is_clear = len(models) == 1 and len(found) == len({*found.values()})
    if is_clear and names_tasks and all(own for _, own in found.values()):
        return found
    first, second, *_ = next(names for names in groups.values() if len(names) > 1)
    raise UserError(
        f"{first} and {second} have the same items, so they are of two models, and their names do "
        "not say which part is the task and which the model. Put the files of each model into a "
        "folder of its own, or name them samples_TASK_MODEL.jsonl, with each model for each task."
    )


def _split_common(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words that names have in common at their begin, else end, and the rest of each."""
    words = [name.split("_") for name in names]
    n = _count_common(words)
    if n:
        return [("_".join(own[:n]), "_".join(own[n:])) for own in words]
    n = _count_common([own[::-1] for own in words])
    return [("_".join(own[len(own) - n :]), "_".join(own[: len(own) - n])) for own in words]


def _count_common(words: Iterable[Sequence[str]]) -> int:
    return sum(1 for _ in takewhile(lambda each: len({*each}) == 1, zip(*words, strict=False)))


def _check_one_model(path: Path, models: set[str]) -> None:
    """Refuse a file of several models of which another file has runs of the same items, too."""
    if len(models) > 1:
        raise UserError(
            f"{path} has {len(models)} models ({', '.join(sorted(models)[:8])}), and another file "
            "has the same items of one of them. Keep one model in each file, which is then named "
            "by its file; or give this file alone, to compare the models in it."
        )


def _read_keys(file: DatasetFile, named: Mapping[str, str]) -> list[list[str]]:
    """Return the task, the item and the epoch of each row of a file that names its models."""
    columns = (named.get("task", "task"), _find_item_column(file, named), "epoch")
    return [_read_cells(file, column) or [""] * file.rows for column in columns]


def _find_item_column(file: DatasetFile, named: Mapping[str, str]) -> str:
    present = [str(column["name"]) for column in file.columns]
    possible = [named["item"]] if "item" in named else [n for n in ITEM_COLUMNS if n in present]
    if possible and possible[0] in present:
        return possible[0]
    raise UserError(
        f"The file {Path(str(file.path)).name} has no column with the item of each row, by which "
        f"several files are matched; its columns are {', '.join(present[:20])}. Give --item COLUMN."
    )


def _label_files(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file: its folder for samples of the harness, else its own name."""
    stems = [_unpack(path).stem for path in paths]
    if all(map(HARNESS_NAME.fullmatch, stems)):
        folders = [path.resolve().parent.name for path in paths]
        tasks = [m["task"] for stem in stems if (m := HARNESS_NAME.fullmatch(stem))]
        if len(set(zip(folders, tasks, strict=True))) == len(paths):
            return folders
    parts = [(*path.resolve().parts[:-1], stem) for path, stem in zip(paths, stems, strict=True)]
    for depth in range(1 + all(map(HARNESS_NAME.fullmatch, stems)), max(map(len, parts))):
        names = ["/".join(each[-depth:]) for each in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _read_cells(file: DatasetFile, column: str) -> list[str]:
    """Return the values of a column; none if the file has no such column."""
    if column not in {str(c["name"]) for c in file.columns}:
        return []
    return [str(value) for value in read_labels(file, [column])[column].tolist()]


def _find_log_score(files: Sequence[DatasetFile]) -> str:
    """Return the one score of all logs."""
    possible = [[*find_log_scores(file)] for file in files]
    shared = [name for name in possible[0] if all(name in names for names in possible)]
    if len(shared) == 1:
        return shared[0]
    lists = sorted({str(n) for f in files for n in _as_list(f.details.get("left_out"))})
    if shared:
        options = ", ".join(f"--score {shlex.quote(name)}" for name in shared)
        message = f"The logs have several scores. Choose one: {options}."
    else:
        sentences = ["The logs have no score of numbers that all of them share."]
        if all(possible):
            listed = [
                f"{Path(str(file.path)).name} has {', '.join(names[:MOST_SCORES])}"
                for file, names in zip(files, possible, strict=True)
            ]
            sentences.append(
                f"{'; '.join(dict.fromkeys(listed))}. Score all of them with one scorer, and name "
                "it with --score if they then share several."
            )
        sentences += filter(None, map(_describe_text_scores, files))
        if lists:
            sentences.append(f"Columns with lists, which are no scores: {', '.join(lists)}.")
        message = " ".join(sentences)
    raise UserError(message)


def _describe_text_scores(file: DatasetFile) -> str:
    """Return a sentence on the first score of a log that has texts; nothing without one."""
    types = find_types(file)
    name = next((n for n in types if n.startswith(SCORE_PREFIX) and types[n] == "string"), None)
    if name is None:
        return ""
    profile = profile_columns(file, [c for c in file.columns if c["name"] == name], file.rows)[name]
    return f"The score {name.removeprefix(SCORE_PREFIX)!r} {describe_faults(profile)}."


def _check_filters(files: Sequence[DatasetFile], chosen: str | None) -> None:
    """Refuse logs with the scores of several filters if none is chosen."""
    for file in files:
        filters = sorted(set(_read_cells(file, "filter")))
        if chosen is None and len(filters) > 1:
            options = ", ".join(f"--filter {shlex.quote(name)}" for name in filters)
            raise UserError(
                f"The log {Path(str(file.path)).name} has the scores of {len(filters)} filters for "
                f"each item. Choose one: {options}."
            )


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _check_score(column: ColumnProfile) -> None:
    if not column.is_numeric:
        raise UserError(
            f"The score column {column.name!r} {describe_faults(column)}. {advise_on_cell(column)}"
        )


def _advise_on_role(role: str, candidates: Sequence[str]) -> str:
    name = shlex.quote(candidates[0]) if candidates else "COLUMN"
    such = f", such as --{role} {name}" if candidates else ""
    return {
        "model": "Give --model-column COLUMN.",
        "item": f"Give --item COLUMN{such}. If each column of numbers is a "
        "model, name them with --model.",
        "task": f"Give --task {name} if it names the task or the test set, or --item {name} if it "
        "names the item itself; for metrics, keep the rows of one metric; for settings of a model, "
        "write the model and its settings into one column.",
        "score": f"Give --score COLUMN{such}.",
        "rows": "Correct such rows, or remove them from the file.",
    }[role]


def _describe_long(columns: LongColumns, cluster: str | None) -> str:
    names = list_names(columns.models)
    parts = [
        f"a row for each item and model; models: {names}, from column {columns.model}",
        f"items from column {columns.item}",
        f"scores from column {columns.score}",
    ]
    if columns.task is not None:
        parts.append(f"tasks, which are the blocks, from column {columns.task}")
    if cluster is not None:
        parts.append(f"clusters from column {cluster}")
    if columns.n_runs > 1:
        told = f", told apart by {' and '.join(columns.runs)}," if columns.runs else ""
        parts.append(f"up to {columns.n_runs} runs of an item{told} are averaged")
    return "; ".join(parts)

"""The scores of language models from the logs of evaluation packages, matched item by item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from thetahat.cautions import (
    INPUTS_DIFFER,
    LOG_UNFINISHED,
    RATIO_OF_SUMS,
    RUNS_AVERAGED,
    RUNS_UNEQUAL,
    RUNS_WITHOUT_SCORE,
    Caution,
)
from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.roles.names import find_better
from thetahat.roles.proposals import describe_faults
from thetahat.tables.column_profiles import profile_column
from thetahat.tables.columns import describe_label, find_largest_exact
from thetahat.tables.labels import find_similar_labels
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.left_out_rows import LeftOut, RowsWithoutValue
from thetahat.values.ratios import PERPLEXITY, SHARE, RatioScore, compute_jackknife_values
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat.values.words import choose_words
from thetahat_service.data.base import UNFINISHED
from thetahat_service.data.list_scores import OF_LOG_LIKELIHOODS, ScoreColumns
from thetahat_service.data.logs import ITEM_COLUMNS
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.groups import build_groups
from thetahat_service.kinds.fields.layout import require_columns
from thetahat_service.kinds.losses.log_scores import find_score
from thetahat_service.kinds.losses.request import LogFile, LogsInput, LossInput

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.analyses.losses.costs import CostsOfTable
    from thetahat.analyses.runs.values import RunValues

ONE_TASK: Final = "task"
TASK_GROUP: Final = "task"
"""The name of a group that is the task of an item, whatever column it stands in."""
NAMED: Final = 3

Key = tuple[str, str]
"""Task and item."""
_Item = tuple[str | None, str | None, Any, tuple[Any, ...], str | None]
"""Hashes of the content and of the input, cluster, groups, and filter of the answer."""


@dataclass(slots=True)
class _Runs:
    """The scores of one model by task and item: one for each run."""

    scores: dict[Key, list[float]] = field(default_factory=dict)
    """Finite scores; an item whose runs have no score has an empty list."""
    sizes: dict[Key, list[float]] = field(default_factory=dict)
    """For a ratio of sums, of which ``scores`` are the numerators, the denominators."""
    without: Counter[Key] = field(default_factory=Counter)
    """How many runs of an item have no score."""
    costs: dict[Key, list[float]] = field(default_factory=dict)
    """What each run with a score cost, NaN where the log does not say; empty unless it is asked."""
    hashes: dict[Key, str] = field(default_factory=dict)
    inputs: dict[Key, str] = field(default_factory=dict)
    clusters: dict[Key, Any] = field(default_factory=dict)
    """The hashes of an item's content and of what the model was asked, and the item's cluster,
    where the log has them."""
    groups: dict[Key, tuple[Any, ...]] = field(default_factory=dict)
    """The groups of an item, in the order of the request."""
    filters: dict[Key, str] = field(default_factory=dict)
    """How the answer was taken from what the model wrote, where the log has it."""

    def describe(self, key: Key, item: _Item) -> None:
        """Keep what a row says of its item beside the score."""
        digest, asked, cluster, groups, filtered = item
        if digest is not None:
            self.hashes[key] = digest
        if asked is not None:
            self.inputs[key] = asked
        if cluster is not None:
            self.clusters[key] = cluster
        if groups:
            self.groups[key] = groups
        if filtered is not None:
            self.filters[key] = filtered


def check_logs(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse columns that a log does not have, before anything is read."""
    logs = request.logs
    if logs is None:
        return
    for i, entry in enumerate(logs.files):
        file, loc = datasets[entry.dataset], ("logs", "files", i, "dataset")
        present = _list_column_names(file)
        find_score(logs.score, file, loc)
        _choose_item_column(logs, present, loc)
        require_columns(file, {("logs", "cluster"): logs.cluster, **_list_named_columns(logs)})
        groups: dict[Loc, str | None] = {
            ("logs", "groups", i): name
            for i, name in enumerate(logs.groups or ())
            if name != TASK_GROUP
        }
        require_columns(file, groups)
        if logs.cost is not None:
            from thetahat_service.kinds.losses.log_costs import find_cost_column  # noqa: PLC0415 - seldom needed

            find_cost_column(logs.cost, file, i)
        if entry.model is None and _choose_column(logs, "model", present) is None:
            raise InvalidParameter(
                "The file does not name its model, as logs of lm-evaluation-harness do not. Add "
                "model to this entry.",
                loc=("logs", "files", i, "model"),
            )


class LogLosses(NamedTuple):
    """The scores of logs, matched by task and item."""

    table: LossTable
    runs: dict[str, RunValues] | None
    """The scores by model before they were averaged; None for a ratio of sums."""
    cautions: tuple[Caution, ...]
    groups: GroupsOfTable | None
    costs: CostsOfTable | None
    """What the items cost, if the request names a column of the logs."""


def read_log_losses(
    request: LossInput, logs: LogsInput, datasets: Mapping[UUID, DatasetFile]
) -> LogLosses:
    """Return the scores of all models, matched by task and item.

    Runs of one item (epochs) are averaged. Several tasks are blocks of kind source on which the
    models were not trained; one task is a holdout.
    """
    from thetahat.analyses.runs.values import RunValues  # noqa: PLC0415 - for logs alone

    models, ratio = _read_models(logs, datasets)
    keys = _find_shared_items(models, leaves_out=request.missing == "leave_out")
    kept, left_out = keys
    tasks = list(dict.fromkeys(task for task, _ in kept))
    kind = request.blocks or (BlockKind.SOURCE if len(tasks) > 1 else BlockKind.HOLDOUT)
    clusters = [_find_cluster(models, key) for key in kept] if logs.cluster else None
    layout = build_layout(
        kind,
        [task for task, _ in kept],
        instance=[item if len(tasks) == 1 else f"{task}/{item}" for task, item in kept],
        cluster=clusters,
        n_train=0.0 if kind is BlockKind.SOURCE else None,
    )
    blocks = np.array([tasks.index(task) for task, _ in kept], dtype=np.intp)
    losses = {
        name: BlockLosses(layout, values=_compute_values(runs, kept, ratio, blocks))
        for name, runs in models.items()
    }
    runs_of_models = {
        name: RunValues(
            np.array([score for key in kept for score in runs.scores[key]]),
            np.repeat(np.arange(len(kept)), [len(runs.scores[key]) for key in kept]),
        )
        for name, runs in models.items()
        if ratio is None  # a part of a ratio is no score of a run
    }
    higher_is_better = _is_higher_better(request, logs, ratio)
    words = choose_words(kind, higher_is_better=higher_is_better)
    table = LossTable(layout, losses, left_out=left_out, has_item_values=ratio is None)
    cautions = [*_find_unfinished(logs, datasets), *_list_cautions(models, kept)]
    if ratio is not None:
        cautions.append(RATIO_OF_SUMS(score=logs.score, formula=ratio.formula))
    groups = None
    if logs.groups is not None:
        columns = {
            name: [_find_groups(models, key, len(logs.groups))[place] for key in kept]
            if name != TASK_GROUP
            else [task for task, _ in kept]
            for place, name in enumerate(logs.groups)
        }
        groups = build_groups(columns, request.group_by, len(kept), None, ("logs", "groups"))
    costs = None
    if logs.cost is not None:
        from thetahat_service.kinds.losses.log_costs import average_costs  # noqa: PLC0415 - same

        of_models = {name: runs.costs for name, runs in models.items()}
        costs = average_costs(logs.cost, request.cost_unit, of_models, kept)
    return LogLosses(
        table.with_words(words), runs_of_models or None, tuple(cautions), groups, costs
    )


def _compute_values(
    runs: _Runs, keys: Sequence[Key], ratio: RatioScore | None, blocks: IntArray
) -> FloatArray:
    """Return (n,) means over the runs of each item, or jackknife values of a ratio of sums."""
    means = np.array([math.fsum(s) / len(s) for s in (runs.scores[key] for key in keys)])
    if ratio is None:
        return means
    sizes = [runs.sizes.get(key, [1.0]) for key in keys]
    mean_sizes = np.array([math.fsum(each) / len(each) for each in sizes])
    return compute_jackknife_values(ratio, means, mean_sizes, blocks)


def _find_unfinished(logs: LogsInput, datasets: Mapping[UUID, DatasetFile]) -> Iterator[Caution]:
    """Yield a caution for each log of an evaluation that did not end, or is marked as invalid."""
    for i, entry in enumerate(logs.files):
        sentence = datasets[entry.dataset].details.get(UNFINISHED)
        if isinstance(sentence, str):
            yield LOG_UNFINISHED(file=i, sentence=sentence)


def _list_cautions(models: Mapping[str, _Runs], kept: Sequence[Key]) -> Iterator[Caution]:
    """Yield the cautions about items with several runs, of which some may have no score."""
    n_scores = max(len(runs.scores[key]) for runs in models.values() for key in kept)
    if n_scores > 1:
        yield RUNS_AVERAGED(n=n_scores)
    for name, runs in models.items():
        counts = {key: len(runs.scores[key]) + runs.without[key] for key in kept}
        most = max(kept, key=counts.__getitem__)
        fewest = min(counts.values())
        if counts[most] > fewest:
            yield RUNS_UNEQUAL(model=name, item=most[1], n=counts[most], fewest=fewest)
        first, asked = next(iter(models.values())).inputs, runs.inputs
        others = [key for key in kept if first.get(key, asked.get(key)) != asked.get(key)]
        if others:
            yield INPUTS_DIFFER(model=name, item=others[0][1], n=len(others), n_items=len(kept))
        n = sum(runs.without[key] for key in kept)
        if n:
            yield RUNS_WITHOUT_SCORE(
                model=name, n=n, n_runs=n + sum(len(runs.scores[key]) for key in kept)
            )


def _is_higher_better(request: LossInput, logs: LogsInput, ratio: RatioScore | None) -> bool:
    """Return whether higher scores are better; refuse a request that has it the other way round."""
    known = "lower" if ratio is not None and ratio.is_loss else find_better(logs.score)
    if ratio is not None and ratio.is_loss and request.better == "higher":
        raise InvalidParameter(
            f"The score {logs.score!r} is {ratio.formula}, of which lower values are better. Set "
            'better to "lower", or leave it out.',
            loc=("better",),
            value="higher",
        )
    better = request.better or known
    if better is None:
        raise InvalidParameter(
            f"The score {logs.score!r} does not say whether higher values are better. Set better "
            'to "higher" or "lower".',
            loc=("better",),
        )
    return better == "higher"


def _read_models(
    logs: LogsInput, datasets: Mapping[UUID, DatasetFile]
) -> tuple[dict[str, _Runs], RatioScore | None]:
    """Return the runs of each model, and the function of the ratio that the score is, if any."""
    models: dict[str, _Runs] = {}
    read: dict[tuple[str, Key, str], tuple[int, str | None]] = {}
    columns = [
        find_score(logs.score, datasets[entry.dataset], ("logs", "files", i, "dataset"))
        for i, entry in enumerate(logs.files)
    ]
    ratio = columns[0].ratio
    for i, (entry, chosen) in enumerate(zip(logs.files, columns, strict=True)):
        loc: Loc = ("logs", "files", i)
        if chosen.ratio is not ratio:
            raise InvalidParameter(
                f"The score {logs.score!r} is one number for each item in one of files 0 and {i}, "
                "and a list in the other, so that they cannot be compared.",
                loc=loc,
            )
        file = datasets[entry.dataset]
        costs = _read_costs(logs, file, i)
        rows = _read_file(logs, entry, file, chosen, costs, loc)
        numbers_runs = _choose_column(logs, "epoch", _list_column_names(file)) is not None
        own: set[tuple[str, Key, str]] = set()
        for model, key, score, size, cost, epoch, item in rows:
            earlier, asked = read.setdefault((model, key, epoch), (i, item[1]))
            if earlier != i:
                _refuse_other_evaluation(logs, model, key, epoch, (earlier, i))
            runs = models.setdefault(model, _Runs())
            scores = runs.scores.setdefault(key, [])
            if score is None:
                runs.without[key] += 1
            else:
                scores.append(score)
                runs.costs.setdefault(key, []).append(cost)
                if size is not None:
                    runs.sizes.setdefault(key, []).append(size)
            if _differ(runs.hashes.get(key), item[0]) or (earlier == i and _differ(asked, item[1])):
                raise InvalidParameter(
                    f"Item {key[1]!r} of {key[0]!r} is two items in the logs of {model!r}: their "
                    "contents differ, so their scores are no runs of one. Give each item its own "
                    "id.",
                    loc=loc,
                    value=key[1],
                )
            if numbers_runs and (model, key, epoch) in own:
                raise InvalidParameter(
                    f"Epoch {epoch} of item {key[1]!r} of {key[0]!r} has two rows of {model!r}: "
                    "they are no runs of the item, which the epochs number. Remove one of them.",
                    loc=loc,
                    value=key[1],
                )
            own.add((model, key, epoch))
            runs.describe(key, item)
    if ratio is None and _are_log_likelihoods(logs.score, models):
        ratio = PERPLEXITY
    return models, ratio


def _differ(first: str | None, second: str | None) -> bool:
    """Return whether two hashes are both known and not the same."""
    return first is not None and second is not None and first != second


def _read_costs(logs: LogsInput, file: DatasetFile, place: int) -> Iterable[float]:
    """Return the cost of each row of a file; NaN for every row if the request names no cost."""
    if logs.cost is None:
        return repeat(math.nan)
    from thetahat_service.kinds.losses.log_costs import read_file_costs  # noqa: PLC0415 - seldom needed

    costs: list[float] = read_file_costs(logs.cost, file, place).tolist()
    return costs


def _are_log_likelihoods(score: str, models: Mapping[str, _Runs]) -> bool:
    """Return whether the values of a perplexity are log-likelihoods, as the harness logs them."""
    if score != OF_LOG_LIKELIHOODS:
        return False
    values = [v for runs in models.values() for scores in runs.scores.values() for v in scores]
    n_negative = sum(value <= 0 for value in values)
    if 0 < n_negative < len(values):
        raise InvalidParameter(
            f"{n_negative} of {len(values)} values of the score {score!r} are not above 0, as "
            "log-likelihoods are, and the others are above 0, as perplexities are. Write one of "
            "both in every row.",
            loc=("logs", "score"),
            value=score,
        )
    return n_negative > 0


def _refuse_other_evaluation(
    logs: LogsInput, model: str, key: Key, epoch: str, files: tuple[int, int]
) -> None:
    """Refuse two logs that hold the same epoch of an item, unless the request names their model."""
    unnamed = [i for i in files if logs.files[i].model is None]
    if unnamed:
        raise InvalidParameter(
            f"Files {files[0]} and {files[1]} of logs are both of {model!r} and both have epoch "
            f"{epoch} of item {key[1]!r} of {key[0]!r}: they are two evaluations, such as an old "
            "and a new prompt, and not runs of one. Give each file a name in model, which are then "
            "compared; or give both the same name, and their scores are averaged as runs.",
            loc=("logs", "files", unnamed[-1], "model"),
            value=model,
        )


def _read_file(  # noqa: PLR0913 - the file, and what is read of it
    logs: LogsInput,
    entry: LogFile,
    file: DatasetFile,
    chosen: ScoreColumns,
    costs: Iterable[float],
    loc: Loc,
) -> Iterator[tuple[str, Key, float | None, float | None, float, str, _Item]]:
    """Yield model, key, score, size, cost, epoch and what else is said of the item by each row.

    There is a cost for each row, or there are endlessly many that are NaN.
    """
    present = _list_column_names(file)
    item = _choose_item_column(logs, present, loc)
    names = {
        name: _choose_column(logs, name, present)
        for name in ("model", "task", "filter", "doc_hash", "input_hash", "epoch")
    }
    named_groups = [name for name in logs.groups or () if name != TASK_GROUP]
    columns = read_labels(
        file, [item, *filter(None, [*names.values(), logs.cluster]), *named_groups]
    )
    scores, sizes = _read_scores(logs, file, chosen, loc)
    n = len(scores)
    for name in (item, *(names[role] for role in ("model", "task") if not getattr(entry, role))):
        if name is not None:
            _check_complete(columns[name], name, loc)
    if entry.model is not None and names["model"] is not None:
        _check_one_model(columns[names["model"]], entry.model, (*loc, "model"))

    def read_cells(name: str | None, constant: str | None = None) -> list[Any]:
        if constant is not None or name is None:
            return [constant] * n
        cells = columns[name].tolist()
        return [v if isinstance(v, str) or v is None else str(v) for v in cells]

    filters = read_cells(names["filter"])
    _check_filters(logs, filters, loc)
    task = entry.task or (None if names["task"] else ONE_TASK)
    rows = zip(
        read_cells(names["model"], entry.model),
        read_cells(names["task"], task),
        [_format_item_name(value) for value in columns[item].tolist()],
        scores.tolist(),
        [None] * n if sizes is None else sizes.tolist(),
        islice(costs, n),
        read_cells(names["epoch"], None if names["epoch"] else "1"),
        zip(
            read_cells(names["doc_hash"]),
            read_cells(names["input_hash"]),
            columns[logs.cluster].tolist() if logs.cluster else [None] * n,
            _list_groups(logs, columns, n),
            filters,
            strict=True,
        ),
        strict=True,
    )
    for model, task_name, item_name, value, size, cost, epoch, of_item in rows:
        if logs.filter is None or of_item[-1] in {None, logs.filter}:
            number = None if math.isnan(value) else value
            yield model, (task_name, item_name), number, size, cost, epoch, of_item


def _read_scores(
    logs: LogsInput, file: DatasetFile, chosen: ScoreColumns, loc: Loc
) -> tuple[FloatArray, FloatArray | None]:
    """Return (n,) scores, NaN where there is none, and the sizes of a ratio of sums."""
    plain = {logs.score} & {*_list_column_names(file)} - {chosen.value}
    columns = read_columns(file, [*filter(None, (chosen.value, chosen.size)), *plain])
    for name in filter(None, (chosen.value, chosen.size)):
        _check_scores(columns[name], name, loc)
    scores = columns[chosen.value].astype(np.float64)
    if chosen.size is None:
        return scores, None
    sizes = columns[chosen.size].astype(np.float64)
    unfit = ~np.isnan(scores) & ~(sizes >= 0)
    if chosen.ratio is SHARE:
        unfit |= (scores > sizes) | (scores != np.round(scores)) & ~np.isnan(scores)
    for name in plain:
        unfit |= np.array([v is not None and v == v for v in columns[name].tolist()])  # noqa: PLR0124
    if unfit.any():
        row = int(np.argmax(unfit))
        raise InvalidParameter(
            f"The score {logs.score!r} of row {row} is no number of true values among several, nor "
            "a pair of log-likelihood and length, as in other rows. Write it like the others.",
            loc=loc,
        )
    return scores, sizes


def _list_groups(
    logs: LogsInput, columns: Mapping[str, np.ndarray], n: int
) -> list[tuple[Any, ...]]:
    """Return the groups of each of n rows, with None in the place of the task."""
    if logs.groups is None:
        return [()] * n
    cells = [[None] * n if name == TASK_GROUP else columns[name].tolist() for name in logs.groups]
    return list(zip(*cells, strict=True))


def _find_groups(models: Mapping[str, _Runs], key: Key, n: int) -> tuple[Any, ...]:
    """Return the groups of an item, of each column the first one that a log has.

    Logs that disagree about an item are refused.
    """
    found: list[Any] = [None] * n
    for name, runs in models.items():
        for place, value in enumerate(runs.groups.get(key, ())):
            is_missing = value is None or value != value  # noqa: PLR0124 - NaN
            if is_missing or value == found[place]:
                continue
            if found[place] is not None:
                raise InvalidParameter(
                    f"Item {key[1]!r} of {key[0]!r} is in the group {value!r} in the log of "
                    f"{name!r}, and in {found[place]!r} in another one. An item has one group.",
                    loc=("logs", "groups", place),
                )
            found[place] = value
    return tuple(found)


def _check_complete(values: np.ndarray, name: str, loc: Loc) -> None:
    """Refuse rows whose item or model is missing, or a number that may have been rounded."""
    largest = find_largest_exact(values.dtype) if values.dtype.kind == "f" else None
    for row, value in enumerate(values.tolist()):
        if value is None or value != value:  # noqa: PLR0124 - NaN
            message = (
                f"Row {row} has no value in column {name!r}, which names its item, model or task."
            )
            raise InvalidParameter(message, loc=loc)
        if largest is not None and abs(value) > largest:
            message = f"Column {name!r} has {value} in row {row}. {describe_label(values.dtype)}"
            raise InvalidParameter(message, loc=loc)


def _check_one_model(values: np.ndarray, name: str, loc: Loc) -> None:
    """Refuse one name for the rows of several models, whose scores would be averaged."""
    own = list(dict.fromkeys(str(value) for value in values.tolist() if value is not None))
    if len(own) > 1:
        raise InvalidParameter(
            f"The file has {len(own)} models ({', '.join(own[:8])}), so it cannot be named as one, "
            f"{name!r}: their scores would be averaged. Leave model out for this file.",
            loc=loc,
            value=name,
        )


def _format_item_name(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def _check_scores(values: np.ndarray, name: str, loc: Loc) -> None:
    if values.dtype.kind not in "fiub":
        faults = describe_faults(profile_column(name, 0, "string", values))
        message = f"The score {name!r} is not a number in every row: it {faults}."
        raise InvalidParameter(message, loc=loc)
    infinite = np.isinf(values.astype(np.float64))
    if infinite.any():
        row = int(np.argmax(infinite))
        raise InvalidParameter(f"The score {name!r} is infinite in row {row}.", loc=loc)


def _check_filters(logs: LogsInput, filters: list[Any], loc: Loc) -> None:
    known = list(dict.fromkeys(f for f in filters if f is not None))
    if logs.filter is None and len(known) > 1:
        raise InvalidParameter(
            f"The log has the scores of {len(known)} filters for each item: {', '.join(known)}. "
            "Set logs.filter to one of them.",
            loc=("logs", "filter"),
        )
    if logs.filter is not None and known and logs.filter not in known:
        raise InvalidParameter(
            f"The log has no filter {logs.filter!r}; it has {', '.join(known)}.",
            loc=("logs", "filter"),
            value=logs.filter,
        )
    if not filters:
        raise InsufficientData("The log has no rows.", loc=loc)


def _find_shared_items(
    models: Mapping[str, _Runs], *, leaves_out: bool
) -> tuple[list[Key], LeftOut | None]:
    """Return the items that every model has a score for, and what is left out, if that is asked."""
    keys = list(dict.fromkeys(key for runs in models.values() for key in runs.scores))
    lacking = [
        i for i, key in enumerate(keys) if not all(runs.scores.get(key) for runs in models.values())
    ]
    _check_contents(models)
    if lacking:
        alike = "".join(f" {c.message}" for c in find_similar_labels(models, "models"))
        task, item = keys[lacking[0]]
        of_task = f" of task {task!r}" if len({of_key for of_key, _ in keys}) > 1 else ""
        without = next(n for n, runs in models.items() if not runs.scores.get((task, item)))
        first = f"the first is item {item!r}{of_task}, which {without!r} has no score for"
        if len(lacking) == len(keys):
            raise InsufficientData(
                f"No item has a score of every model; {first}. Rows belong together if task and "
                f"item have the same names in the logs of all models.{alike}",
                loc=("logs",),
            )
        if not leaves_out:
            raise InvalidParameter(
                f"{len(lacking)} of {len(keys)} items have no score of some model; {first}. Send "
                "all items of all models, or set missing to 'leave_out' to leave such items out."
                f"{alike}",
                loc=("logs",),
                value=len(lacking),
            )
    if not lacking:
        return keys, None
    left_out_places = set(lacking)
    shared_keys = [key for i, key in enumerate(keys) if i not in left_out_places]
    missing = RowsWithoutValue(n=len(lacking), rows=tuple(lacking[:10]))
    return shared_keys, LeftOut(
        n_rows=len(lacking), n_remaining=len(shared_keys), missing={"score of some model": missing}
    )


def _check_contents(models: Mapping[str, _Runs]) -> None:
    """Refuse items of one id whose contents or filters differ, where logs have them."""
    known: dict[Key, tuple[str, str]] = {}
    used: dict[Key, tuple[str, str]] = {}
    for name, runs in models.items():
        for key, digest in runs.hashes.items():
            other, first = known.setdefault(key, (name, digest))
            if first != digest:
                raise InvalidParameter(
                    f"Item {key[1]!r} of {key[0]!r} is not the same in the logs of {other!r} and "
                    f"{name!r}: its doc_hash differs. The models must be tested on the same items.",
                    loc=("logs",),
                )
        for key, filtered in runs.filters.items():
            other, first = used.setdefault(key, (name, filtered))
            if first != filtered:
                raise InvalidParameter(
                    f"Item {key[1]!r} of {key[0]!r} is scored by the filter {first!r} in the logs "
                    f"of {other!r}, and by {filtered!r} in those of {name!r}: such scores cannot "
                    "be compared. Send logs of all models with one filter.",
                    loc=("logs", "filter"),
                    value=filtered,
                )


def _find_cluster(models: Mapping[str, _Runs], key: Key) -> str:
    """Return the cluster of an item; items without one are clusters of their own."""
    for runs in models.values():
        if key in runs.clusters:
            return f"{key[0]}/{runs.clusters[key]}"
    return f"{key[0]}/item {key[1]}"


def _list_column_names(file: DatasetFile) -> list[str]:
    return [str(column["name"]) for column in file.columns]


def _list_named_columns(logs: LogsInput) -> dict[Loc, str | None]:
    """Return the columns that the request names, by their place in the request."""
    columns = logs.columns
    if columns is None:
        return {}
    return {("logs", "columns", name): getattr(columns, name) for name in ("item", "model", "task")}


def _choose_column(logs: LogsInput, name: str, present: list[str]) -> str | None:
    """Return the column of a role: the one that the request names, or the one of that name."""
    named: str | None = getattr(logs.columns, name, None)
    return named or (name if name in present else None)


def _choose_item_column(logs: LogsInput, present: list[str], loc: Loc) -> str:
    if logs.columns is not None and logs.columns.item is not None:
        return logs.columns.item
    name = next((name for name in ITEM_COLUMNS if name in present), None)
    if name is None:
        raise InvalidParameter(
            f"The file has no column with the id of each item: none of {', '.join(ITEM_COLUMNS)}. "
            "Name it in logs.columns.item.",
            loc=loc,
        )
    return name

"""The models of several evaluations ranked together, where they were tested on the same rows.

Evaluations are ranked together only if they have the same measure, blocks and rows. Rows are the
same if the digest of the data is, or if they have the same names; row numbers of other data say
nothing. Losses are then paired row by row, and evaluated as if one request had sent them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.losses import Choices, check, evaluate
from thetahat.analyses.losses.costs import CostsOfTable, read_costs
from thetahat.analyses.losses.parts import Parts
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.json_values import to_json
from thetahat.values.types import IntArray
from thetahat.values.words import choose_words

SEED: Final = 0
"""Seed of the joint distribution of differences: the same evaluations have the same board."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvaluationToRank:
    """One evaluation with the losses that it kept."""

    id: str
    """Its id."""
    title: str
    """Its name, or its kind."""
    data_sha256: str
    """Digest of its data."""
    measure: str
    """What its losses are: the loss or the score of its request."""
    level: float
    """Level of its intervals."""
    margin: float | None
    """Its margin."""
    noun: BlockNoun | None
    """Its word for a block."""
    table: LossTable
    """Its losses."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """What its models cost on average, of those that have a cost."""
    cost_unit: str | None = None
    """What costs are counted in."""


@dataclass(frozen=True, slots=True, eq=False)
class _OrderedRows:
    """The rows of an evaluation in an order that another one can have, too."""

    order: IntArray
    """(n,) numbers of the rows in that order."""
    described: Mapping[str, Any]
    """Measure, blocks, clusters, times and names of the rows."""
    digest: str
    """Digest of that."""


def build_leaderboards(evaluations: Sequence[EvaluationToRank], most_models: int) -> dict[str, Any]:
    """Return a board for each test set, and the evaluations that are in none, with the reason."""
    groups: dict[str, list[tuple[EvaluationToRank, _OrderedRows]]] = {}
    for each in evaluations:
        rows = _describe_rows(each)
        groups.setdefault(rows.digest, []).append((each, rows))
    ordered = sorted(groups.values(), key=len, reverse=True)
    boards: list[dict[str, Any]] = []
    left_out: list[dict[str, str]] = []
    for members in ordered:
        ids = [each.id for each, _ in members]
        why = None if members is ordered[0] else _explain_apart(members[0][1], *ordered[0][0])
        try:
            boards.append({**_build_board(members, most_models), "apart_because": why})
        except EvaluationError as error:
            left_out += [{"evaluation": each, "reason": error.message} for each in ids]
    return {"boards": boards, "left_out": left_out}


def _describe_rows(evaluation: EvaluationToRank) -> _OrderedRows:
    layout = evaluation.table.layout
    split = layout.get_split_of_row()
    blocks = np.array([str(label) for label in layout.block_labels], dtype=object)
    columns: dict[str, list[str]] = {
        "block": blocks[layout.split_block[split]].tolist(),
        "repeat": layout.split_repeat[split].astype(str).tolist(),
    }
    names = layout.instance_labels
    are_named = names is not None and any(isinstance(name, str) for name in names.tolist())
    order = np.arange(layout.n_rows)
    if names is not None and layout.instance is not None:
        instances = [str(name) for name in names[layout.instance].tolist()]
        columns["instance"] = instances
        order = np.lexsort((np.array(instances), layout.split_repeat[split]))
    if layout.cluster is not None:
        labels = np.array([str(label) for label in layout.cluster_labels], dtype=object)
        columns["cluster"] = labels[layout.cluster].tolist()
    if layout.time is not None:
        times = np.array([str(label) for label in layout.time_labels], dtype=object)
        columns["time"] = times[layout.time].tolist()
    described = {
        "measure": evaluation.measure,
        "blocks": layout.kind.value,
        "better": layout.words.better,
        "data": None if are_named else evaluation.data_sha256,
        "rows": {name: [values[i] for i in order.tolist()] for name, values in columns.items()},
    }
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
    return _OrderedRows(order, described, digest)


def _explain_apart(rows: _OrderedRows, evaluation: EvaluationToRank, others: _OrderedRows) -> str:
    """Return why rows are not ranked with those of an evaluation, and what to send."""
    own, other, title = rows.described, others.described, repr(evaluation.title)
    if own["measure"] != other["measure"]:
        return f"The loss or score is not that of {title}. Evaluate all models by the same one."
    if own["better"] != other["better"]:
        return f"{own['better'].capitalize()} values are better, and {other['better']} in {title}."
    if own["blocks"] != other["blocks"]:
        return (
            f"The blocks are of kind {own['blocks']}, and in {title} of kind {other['blocks']}. "
            "Send blocks of one kind."
        )
    if own["data"] != other["data"]:
        unnamed = [
            *(["here"] if own["data"] else []),
            *([f"in {title}"] if other["data"] else []),
        ]
        return (
            f"Rows have no names {' and '.join(unnamed)}, and the data have other digests, so that "
            "no row is known to be the same. Name the rows in instance, alike in every evaluation, "
            "or take the models from columns of one data set."
        )
    return _compare_rows(own["rows"], other["rows"], title)


def _compare_rows(
    own: Mapping[str, Sequence[str]], other: Mapping[str, Sequence[str]], title: str
) -> str:
    """Return how rows differ that have names, or are of the same data."""
    if own.get("instance") != other.get("instance"):
        names = set(own.get("instance", ()))
        shared = len(names & set(other.get("instance", ())))
        return (
            f"Of {len(names)} instances {shared} have the name of one in {title}, and all must. "
            "Evaluate all models on the same instances, as often, and name these alike."
        )
    if len(own["block"]) != len(other["block"]):
        return (
            f"There are {len(own['block'])} rows of these data, and {len(other['block'])} in "
            f"{title}. Evaluate all models on the same rows."
        )
    differing = next(name for name in {**own, **other} if own.get(name) != other.get(name))
    return f"Rows have another {differing} than in {title}. Send the same {differing} for each row."


def _build_board(
    members: Sequence[tuple[EvaluationToRank, _OrderedRows]], most_models: int
) -> dict[str, Any]:
    first, first_rows = members[0]
    level = max(each.level for each, _ in members)
    margins = {each.margin for each, _ in members}
    margin = next(iter(margins)) if len(margins) == 1 else None
    losses, found = _join_models(members)
    back = np.argsort(first_rows.order)
    words = choose_words(
        first.table.layout.kind, first.noun, higher_is_better=first.table.higher_is_better
    )
    plain = choose_words(first.table.layout.kind)
    layout = replace(first.table.layout, words=plain)
    models = {name: BlockLosses(layout, values=values[back]) for name, values in losses.items()}
    table = LossTable(layout, models, loss_range=first.table.loss_range).with_words(words)
    if len(models) > most_models:
        raise InvalidParameter(
            f"The evaluations have {len(models)} models, and at most {most_models} are ranked.",
            loc=("of",),
            value=len(models),
        )
    choices = Choices(level=level, margin=margin)
    check(table.layout, choices, table.names)
    parts = Parts(costs=_read_costs([each for each, _ in members], found, layout.n_rows))
    result = {"kind": "losses", **to_json(evaluate(table, choices, SEED, parts))}
    return {
        "evaluations": [{"id": each.id, "title": each.title} for each, _ in members],
        "n": layout.n_instances,
        "same_data": len({each.data_sha256 for each, _ in members}) == 1,
        "level": level,
        "margin": margin,
        "models": found,
        "result": result,
    }


def _join_models(
    members: Sequence[tuple[EvaluationToRank, _OrderedRows]],
) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
    """Return the losses of all models in the common order, and where each of them is from.

    A model that several evaluations have with the same losses is one model. Where its losses
    differ, each has the title and the id of its evaluation in its name.
    """
    by_name: dict[str, list[tuple[np.ndarray, list[EvaluationToRank]]]] = {}
    for evaluation, rows in members:
        for name, model in evaluation.table.models.items():
            values = model.rows[rows.order]
            known = by_name.setdefault(name, [])
            same = next((each for each in known if np.array_equal(each[0], values)), None)
            if same is None:
                known.append((values, [evaluation]))
            else:
                same[1].append(evaluation)
    losses: dict[str, np.ndarray] = {}
    found: dict[str, dict[str, Any]] = {}
    for name, versions in by_name.items():
        for values, having in versions:
            shown = name
            if len(versions) > 1:
                shown = f"{name} ({having[0].title}, {having[0].id[:8]})"
            losses[shown] = values
            found[shown] = {"model": name, "evaluations": [each.id for each in having]}
    return losses, found


def _read_costs(
    evaluations: Sequence[EvaluationToRank], found: Mapping[str, Mapping[str, Any]], n: int
) -> CostsOfTable | None:
    """Return what the models cost; None unless each has one cost, and all have one unit."""
    by_id = {each.id: each for each in evaluations}
    units = {each.cost_unit for each in evaluations}
    costs: dict[str, float] = {}
    for shown, model in found.items():
        known = {by_id[each].costs.get(model["model"]) for each in model["evaluations"]}
        cost = known.pop()
        if cost is None or known or len(units) > 1:
            return None
        costs[shown] = cost
    return read_costs(costs, units.pop(), list(costs), n)


def read_measure(request: Mapping[str, Any]) -> str:
    """Return what the losses of a request are, as a text that equal measures share."""
    logs = request.get("logs") or {}
    named = {
        "task": request.get("task"),
        "loss": request.get("loss"),
        "score": logs.get("score"),
        "filter": logs.get("filter"),
    }
    return json.dumps(named, sort_keys=True)

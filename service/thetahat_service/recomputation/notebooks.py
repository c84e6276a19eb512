"""A result as a notebook, which computes every number that it shows from the losses."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from hashlib import sha256
from typing import Any, Final

import numpy as np
import orjson
import pyarrow.parquet as pq

from thetahat.analyses.cross_validation.evaluation import restrict_choices
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.choices import OPTION_NAMES, ChosenMethod, Gate
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind
from thetahat_presentation.renderers.markdown import escape_markdown
from thetahat_presentation.showing import ask, name_evaluation
from thetahat_service.errors import PartsNotKept, TooLarge
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.kept_losses import read_kept_losses
from thetahat_service.recomputation.evaluating import drop_gate_beyond_losses, name_blocks
from thetahat_service.recomputation.kept import KeptEvaluation
from thetahat_service.recomputation.main_numbers import list_main_numbers
from thetahat_service.recomputation.sources import (
    OF_LOSSES,
    list_fitting_methods,
    refuse_without_grades,
)

MOST_LOSSES: Final = 200_000
"""Numbers that a notebook has room for: about a megabyte."""
WIDTH: Final = 96
CHECK: Final = """\
computed = list_main_numbers(result.to_dict())
other = [name for name in recorded if computed.get(name) != recorded[name]]
assert not other, f"Of {len(recorded)} values these are not the recorded ones: {other}"
print(f"{len(recorded)} values are equal to the bit, computed by thetahat {thetahat.__version__}.")
"""
_PLAIN: Final = Choices()
_REGISTRIES: Final = {"variances": "VARIANCES", "intervals": "INTERVALS", "tests": "EVERY_TEST"}
_MODULES: Final = {
    "VARIANCES": "thetahat.variances",
    "INTERVALS": "thetahat.intervals",
    "EVERY_TEST": "thetahat.analyses.losses",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What a notebook is made of: the evaluation, parsed."""

    evaluation: KeptEvaluation
    request: AnalysisRequest
    result: Mapping[str, Any]
    table: LossTable


def write_notebook(evaluation: KeptEvaluation) -> bytes:
    """Return the notebook of an evaluation (nbformat 4.5), without outputs.

    Raises
    ------
    PartsNotKept
        The result does not follow from losses of single rows that are kept.
    TooLarge
        The losses are more than a notebook has room for.
    """
    source = _read_source(evaluation)
    notebook = {
        "cells": [
            _write_text("question", _introduce(source)),
            _write_code("losses", _list_losses(source.table)),
            _write_code("evaluation", _call(source)),
            _write_text("record_text", _explain_record(source)),
            _write_code("record", _list_record(source.result)),
            _write_code("check", CHECK),
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return orjson.dumps(notebook, option=orjson.OPT_INDENT_2)


def _read_source(evaluation: KeptEvaluation) -> _Source:
    request = evaluation.check_request()
    if not isinstance(request, AnalysisRequest) or request.kind not in OF_LOSSES:
        raise PartsNotKept(f"A result of kind {request.kind!r} does not follow from losses alone.")
    refuse_without_grades(request)
    named = list_fitting_methods(request)
    if named:
        raise PartsNotKept(
            f"{' and '.join(named)} used losses of extra fits, which are not kept, so that a "
            "notebook cannot compute the result from its losses."
        )
    if evaluation.losses is None:
        raise PartsNotKept("No losses of single rows are kept, from which a notebook computes.")
    result = orjson.loads(evaluation.result)
    n_losses = pq.read_metadata(evaluation.losses).num_rows * len(result["models"])
    if n_losses > MOST_LOSSES:
        raise TooLarge(
            f"The result has {n_losses:,} losses, and a notebook has room for {MOST_LOSSES:,}. The "
            "bundle of the evaluation has all."
        )
    table = read_kept_losses(evaluation.losses)
    return _Source(evaluation=evaluation, request=request, result=result, table=table)


def _introduce(source: _Source) -> str:
    """Return the question, and what the notebook does; no number of the result is in it."""
    result = source.result
    kind = str(result["kind"])
    known = source.evaluation.identifier
    title = name_evaluation(source.evaluation.name, kind, known, result.get("summary"))
    question = " ".join(ask(kind, result, source.request.build_canonical()))
    identifier = f"Evaluation `{known}`. " if known else ""
    version = result["provenance"]["version"]
    what = (
        f"{identifier}The cells below compute the result again from its losses, with "
        f"`pip install thetahat=={version}`."
    )
    return "\n\n".join([f"# {escape_markdown(title)}", escape_markdown(question), what])


def _explain_record(source: _Source) -> str:
    digest = sha256(source.evaluation.result.encode()).hexdigest()
    return (
        "The values that were recorded, and a comparison with those above. They are from the "
        f"result with the SHA-256 `{digest}`. Metrics, and what needs the data or "
        "fits, are not among them."
    )


def _list_losses(table: LossTable) -> str:
    """Return the cell with the losses of each model, and the labels of their rows."""
    layout = table.layout
    lines = ["import thetahat", "", "losses = {"]
    for name, losses in table.models.items():
        lines.append(f"    {name!r}: {_write_list(_write_numbers(losses.rows), 4)},")
    lines.append("}")
    lines += [
        f"{name} = {_write_list([repr(label) for label in labels], 0)}"
        for name, labels in _list_labels(layout).items()
    ]
    return "\n".join(lines)


def _list_labels(layout: Layout) -> dict[str, list[Any]]:
    """Return the label of each row by the argument of ``thetahat.evaluate`` that takes it."""
    split = layout.get_split_of_row()
    block, repeat = layout.split_block[split], layout.split_repeat[split]
    labels: dict[str, list[Any]] = {}
    if layout.kind is not BlockKind.HOLDOUT:
        labels["block"] = [layout.block_labels[code] for code in block.tolist()]
    if layout.n_repeats > 1:
        labels["repeat"] = repeat.tolist()
    if layout.instance is not None and layout.instance_labels is not None:
        labels["instance"] = layout.instance_labels[layout.instance].tolist()
    if layout.cluster is not None:
        labels["cluster"] = [layout.cluster_labels[code] for code in layout.cluster.tolist()]
    if layout.time is not None:
        labels["time"] = [layout.time_labels[code] for code in layout.time.tolist()]
    return labels


def _write_numbers(values: np.ndarray) -> list[str]:
    is_whole = bool((values == np.floor(values)).all()) and not np.signbit(values).any()
    return [str(int(value)) if is_whole else repr(value) for value in values.tolist()]


def _write_list(entries: Sequence[str], indent: int) -> str:
    """Return a list with as many entries on a line as fit."""
    if sum(map(len, entries)) + 2 * len(entries) < WIDTH - 30:
        return f"[{', '.join(entries)}]"
    inner, lines, line = " " * (indent + 4), [], ""
    for entry in entries:
        if line and len(line) + len(entry) + 2 > WIDTH - len(inner):
            lines.append(line)
            line = ""
        line += f" {entry}," if line else f"{entry},"
    body = "\n".join(inner + each for each in [*lines, line])
    return f"[\n{body}\n{' ' * indent}]"


def _call(source: _Source) -> str:
    """Return the cell that evaluates the losses, with every option of the request."""
    table, result = source.table, source.result
    requested = [*table.names, *result.get("failures", ())]
    named = name_blocks(source.request.choices, result, table.layout.kind)
    wanted = drop_gate_beyond_losses(named)
    choices, _, _ = restrict_choices(wanted, table.layout, requested, table.names)
    arguments = [f"blocks={table.layout.kind.value!r}"]
    arguments += [f"{name}={name}" for name in _list_labels(table.layout)]
    arguments += _write_training_sizes(table.layout)
    arguments.append(f"better={table.layout.words.better!r}")
    methods = dict(_list_methods(choices))
    arguments += [f"{name}={written}" for name, written in methods.items()]
    arguments += _write_options(choices, table.loss_range)
    arguments.append(f"seed={result['provenance']['seed']}")
    registries = sorted(name for name in _MODULES if any(name in each for each in methods.values()))
    imports = [f"from {_MODULES[name]} import {name}" for name in registries]
    if any("np." in each for each in arguments):
        imports.insert(0, "import numpy as np")
    lines = ["result = thetahat.evaluate(", "    losses,", *(f"    {each}," for each in arguments)]
    return "\n".join([*imports, *([""] if imports else []), *lines, ")", "result"])


def _write_training_sizes(layout: Layout) -> list[str]:
    """Return the argument with the training sizes, where they are not what is assumed."""
    sizes = layout.n_train
    if sizes is None:
        return ["n_train=0"] if layout.kind is BlockKind.SOURCE else []
    split = layout.get_split_of_row()
    block, repeat = layout.split_block[split], layout.split_repeat[split]
    assumed = build_layout(layout.kind, block, repeat=repeat).n_train
    if assumed is not None and np.array_equal(assumed, sizes):
        return []
    if (sizes == sizes[0]).all():
        return [f"n_train={sizes[0].item()!r}"]
    by_row = _write_numbers(sizes[layout.get_split_of_row()])
    return [f"n_train=np.array({_write_list(by_row, 4)})"]


def _list_methods(choices: Choices) -> Iterator[tuple[str, str]]:
    """Yield the methods that the request names, by argument."""
    tests = (choices.tests, choices.omnibus)
    chosen: dict[str, Sequence[ChosenMethod[Any]] | None] = {
        "variances": choices.variances,
        "intervals": choices.intervals,
        "tests": None if tests == (None, None) else [*(tests[0] or ()), *(tests[1] or ())],
    }
    for name, methods in chosen.items():
        if methods is not None:
            written = [_write_method(each, _REGISTRIES[name]) for each in methods]
            yield name, "{" + ", ".join(written) + "}"


def _write_method(chosen: ChosenMethod[Any], registry: str) -> str:
    method = chosen.method
    if method == type(method)():
        return f"{chosen.key!r}: {chosen.name!r}"
    parameters = [
        f"{each.name}={_write_value(getattr(method, each.name))}"
        for each in fields(method)
        if each.init
    ]
    return f"{chosen.key!r}: {registry}[{chosen.name!r}]({', '.join(parameters)})"


def _write_options(choices: Choices, loss_range: tuple[float, float] | None) -> Iterator[str]:
    """Yield the options that are not the plain ones; a known range of the loss is one of them."""
    for name in OPTION_NAMES:
        value = getattr(choices, name)
        if name == "range" and value is None:
            value = loss_range
        if name == "include":
            value = [str(part) for part in value]
        elif name == "control" and choices.gate is not None and value == choices.gate.against:
            continue  # the gate says it
        if value != getattr(_PLAIN, name) and value != []:
            yield f"{name}={_write_value(value)}"


def _write_value(value: Any) -> str:
    """Return a value as Python that gives it again."""
    if isinstance(value, Gate):
        inside = [
            f"{each.name}={_write_value(getattr(value, each.name))}" for each in fields(value)
        ]
        return f"thetahat.Gate({', '.join(inside)})"
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_write_value, value))})"
    is_infinite = isinstance(value, float) and math.isinf(value)
    return f"float({str(value)!r})" if is_infinite else repr(value)


def _list_record(result: Mapping[str, Any]) -> str:
    """Return the cell with the recorded values, and the function that finds them in a result."""
    lines = [f"    {name!r}: {value!r}," for name, value in list_main_numbers(result).items()]
    _, _, body = inspect.getsource(list_main_numbers).partition("\n")
    function = f"def list_main_numbers(result):\n{body}"
    return "\n".join(["recorded = {", *lines, "}", "", "", function])


def _write_text(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _split(text)}


def _write_code(name: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": _split(text),
    }


def _split(text: str) -> list[str]:
    """Return the lines of a cell, each but the last with its end."""
    return text.strip("\n").splitlines(keepends=True)

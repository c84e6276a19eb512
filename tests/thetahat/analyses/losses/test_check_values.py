"""A named method for losses of 0 and 1 is refused for others before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thetahat.analyses.losses import Choices, ChosenMethod, check, describe_other_loss
from thetahat.analyses.losses.method_selection import REGISTRIES
from thetahat.errors import UnsupportedCombination
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat_service.kinds.registry import JOB_KINDS

NEED = {
    *("clopper_pearson", "wilson", "newcombe", "tango", "tango_clusters", "tango_sources"),
    *("price_bonett", "tango_folds"),
    *("mcnemar", "cochran_q"),
}


def _table(values: list[float]) -> LossTable:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values), dtype=np.intp))
    first = np.resize([0.0, 1.0], len(values))
    other = np.array(values)
    models = {"a": first, "b": other, "c": first}
    return LossTable(layout, {m: BlockLosses(layout, values=v) for m, v in models.items()})


def check_values(table: LossTable, choices: Choices) -> None:
    check(table.layout, choices, table.names, describe_other_loss(table))


def _asking(family: str, name: str) -> Choices:
    entry = ChosenMethod(name, name, REGISTRIES[family][name]())
    request: dict[str, Any] = {family: (entry,)}
    return Choices(**request)


def test_exact_methods_for_losses_of_0_and_1_declare_it() -> None:
    names = {
        name
        for registry in REGISTRIES.values()
        for name, method in registry.items()
        if method.info.only_zero_one
    }
    assert names == NEED


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("intervals", "wilson"),
        ("intervals", "clopper_pearson"),
        ("tests", "mcnemar"),
        ("omnibus", "cochran_q"),
    ],
)
def test_invalid_other_losses_name_the_method_the_value_and_what_fits(
    family: str, name: str
) -> None:
    words = r"there is 0\.25. [A-Za-z ]+ that fit: "
    with pytest.raises(UnsupportedCombination, match=words) as caught:
        check_values(_table([0, 1, 0.25, 1]), _asking(family, name))
    assert caught.value.loc == ("tests" if family == "omnibus" else family, 0)
    assert not NEED & set(caught.value.message.partition("that fit: ")[2].split(", "))
    check_values(_table([0, 1, 1, 1]), _asking(family, name))


def test_exact_defaults_are_not_refused() -> None:
    check_values(_table([0, 1, 0.25, 1]), Choices())


@pytest.mark.parametrize(
    "body",
    [
        {
            "kind": "losses",
            "blocks": "holdout",
            "losses": {"a": [0.5, 1, 0], "b": [1, 0, 0]},
            "intervals": ["student_t", "wilson"],
        },
        {
            "kind": "predictions",
            "blocks": "holdout",
            "y": [1.5, 2.0, 3.0],
            "predictions": {"a": [1.0, 2.0, 2.5]},
            "loss": "squared",
            "intervals": ["student_t", "wilson"],
        },
        {
            "kind": "cross_validation",
            "data": {"X": [[1], [2], [3], [4]], "y": [1, 2, 3, 5]},
            "task": "regression",
            "learners": {"mean": "mean"},
            "scheme": {"name": "holdout", "params": {"test_size": 0.5}},
            "loss": "squared",
            "intervals": ["student_t", "wilson"],
        },
    ],
)
def test_invalid_inline_requests_are_refused_at_the_door(body: dict[str, Any]) -> None:
    kind = JOB_KINDS[body["kind"]]
    with pytest.raises(UnsupportedCombination) as caught:
        kind.check(kind.request.model_validate(body), {})
    assert caught.value.loc == ("intervals", 1)

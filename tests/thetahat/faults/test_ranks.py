"""Faults of other packages around rank tests: STAC."""

from __future__ import annotations

import pytest

from tests.thetahat.analyses.losses.tables import evaluated, table_of
from tests.thetahat.paired_tests.pairs import differences_pair, rng_of
from thetahat.analyses.losses import Choices
from thetahat.paired_tests.sign import Sign
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind


@pytest.mark.parametrize("names", [("z", "a", "m"), ("m", "z", "a"), ("a", "m", "z")])
def test_exact_stac_takes_the_models_in_a_dict_s_order(names: tuple[str, ...]) -> None:
    """STAC: which model is x and which is y came from a dict. Here it is the request's order."""
    layout = build_layout(BlockKind.HOLDOUT, [0] * 4)
    losses = {name: [i * 0.1, 0.2, 0.5, 0.9] for i, name in enumerate(names)}

    result = evaluated(table_of(layout, losses), Choices(), seed=1)

    first, second, third = names
    pairs = [(c["a"], c["b"]) for c in result["comparisons"]]
    assert list(result["models"]) == list(names)
    assert pairs == [(first, second), (first, third), (second, third)]
    assert all(c["difference"] < 0 for c in result["comparisons"])  # a minus b, as asked


@pytest.mark.parametrize("method", [Wilcoxon(method="normal"), Wilcoxon(method="exact"), Sign()])
@pytest.mark.parametrize("values", [[-1.0, 1.0], [-2.0, 1.0, 1.0], [-3.0, 1.0, 2.0, 1.0, -1.0]])
def test_degenerate_stac_doubles_a_p_value_by_hand(
    method: Wilcoxon | Sign, values: list[float]
) -> None:
    """STAC: twice a one-sided p, which passes 1 where the sums balance."""
    p_value = method.test(differences_pair(values), Alternative.TWO_SIDED, rng_of()).p_value

    assert p_value is not None
    assert p_value <= 1

"""How often a gate about costs of rows passes: where it must not, and where it should."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from thetahat.analyses.losses.choices import Choices, Gate
from thetahat.analyses.losses.cost_gate import judge_cost
from thetahat.analyses.losses.cost_result import CostOfPair
from thetahat.analyses.losses.costs import CostsOfTable
from thetahat.analyses.losses.result import GateOutcome, Requirement
from thetahat.analyses.thresholds import DEAR, FEWEST_PRICED
from thetahat.distributions import compute_upper_quantile
from thetahat.numerics.fieller import MeansOfPair, find_ratios
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.simulated_intervals import compute_power_of_bounds
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
CHEAPER_BY: Final = 0.5
"""The share that the gate requires."""
N_FOR_SPREAD: Final = 1_000_000
SIZES: Final = (5, 10, 20, 30, 50, 60, 100, 200, 500)
COSTS: Final = (1.0, 0.7, 0.32)
"""What the new model costs, as a share of what the gate allows."""
GATE: Final = Gate(model="new", against="old", require=Requirement.NOT_WORSE, cheaper_by=CHEAPER_BY)
CHOICES: Final = Choices(level=LEVEL)

Draw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]
"""Draws (n,) costs of both models, with the mean 1."""


def _draw_retries(share: float, factor: float, *, of_both: bool) -> Draw:
    """Return calls of which a share costs that many times as much, for each model by itself."""

    def draw(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        calls = np.where(rng.random((2, n)) < share, factor, 1.0) / (1 - share + share * factor)
        return calls[0], calls[1] if of_both else rng.gamma(20.0, 1 / 20, n)

    return draw


def _draw_lognormal(sigma: float, correlation: float) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        common = np.sqrt(correlation) * rng.standard_normal(n)
        both = common + np.sqrt(1 - correlation) * rng.standard_normal((2, n))
        a, b = np.exp(sigma * both - sigma**2 / 2)
        return a, b

    return draw


def _draw_tokens(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    lengths = rng.gamma(2.0, 0.5, n)
    return lengths * rng.gamma(20.0, 1 / 20, n), lengths


DESIGNS: Final[Mapping[str, Draw]] = {
    "5 % of the new model's calls cost 20 times as much": _draw_retries(0.05, 20, of_both=False),
    "2 % of the new model's calls cost 50 times as much": _draw_retries(0.02, 50, of_both=False),
    "10 % of both models' calls cost 10 times as much": _draw_retries(0.1, 10, of_both=True),
    "2 % of both models' calls cost 20 times as much": _draw_retries(0.02, 20, of_both=True),
    "tokens, gamma of shape 2, by question": _draw_tokens,
    "lognormal, sigma .5, correlation .8": _draw_lognormal(0.5, 0.8),
    "lognormal, sigma 1, correlation .5": _draw_lognormal(1.0, 0.5),
    "lognormal, sigma 1.5, correlation .5": _draw_lognormal(1.5, 0.5),
}

TITLE: Final = "Gates by cost"
ABOUT: Final = f"""
A gate asks for a model that is {100 * CHEAPER_BY:g} % cheaper, by costs of the rows of one test
set. The first columns are shares of the samples in which it passes by cost, where the new model
costs exactly what is allowed (that may happen in .025, and with the wrong failures in .05). Power
is that share where it costs {COSTS[1]:g} and {COSTS[2]:g} times that, over the power of the
one-sided normal test of level .025 that knows the standard deviation of the difference between the
mean cost and what is allowed by that of the old model. The old rule asks that Fieller's set is
below. The new one asks besides, of fewer than {FEWEST_PRICED} rows, that the largest kind of row
that they miss in .05 of the samples would not change it at {DEAR:g} times the mean cost, and where
the skewness is clear, that the one-sided test after Hall's transformation shows it at the same
level. Dearer and rarer rows than those of the first design are still missed: nothing in such a
sample shows them.
"""
COLUMNS: Final = "costs | rows | " + " | ".join(
    f"{start}, {rule} rule"
    for start in ("passes wrongly", f"power at {COSTS[1]:g}", f"power at {COSTS[2]:g}")
    for rule in ("old", "new")
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the old and the new rule let a model pass."""
    for number, (name, draw) in enumerate(DESIGNS.items()):
        many, others = draw(np.random.default_rng([seed, number]), N_FOR_SPREAD)
        shifts = np.array([(1 - cost) / (cost * many - others).std() for cost in COSTS[1:]])
        for n in SIZES:
            rng = np.random.default_rng([seed, number, n])
            layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
            counts = np.zeros((len(COSTS), 2))
            for _ in range(repetitions):
                new, old = draw(rng, n)
                for i, cost in enumerate(COSTS):
                    counts[i] += judge_sample(cost * (1 - CHEAPER_BY) * new, old, layout)
            wrong, *found = counts / repetitions
            ideal = compute_power_of_bounds(shifts * np.sqrt(n), (1 + LEVEL) / 2)
            shares = (format_share(float(share), repetitions) for share in wrong)
            yield (name, n, *shares, *(np.array(found) / ideal[:, None]).ravel().tolist())


def judge_sample(new: FloatArray, old: FloatArray, layout: Layout) -> tuple[bool, bool]:
    """Return whether the old and the new rule let the new model pass by cost."""
    n = len(new)
    covariance = np.cov(new, old) / n
    pair = MeansOfPair(
        a=float(new.mean()),
        b=float(old.mean()),
        variance_a=float(covariance[0, 0]),
        variance_b=float(covariance[1, 1]),
        covariance=float(covariance[0, 1]),
    )
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    if spread <= 0:
        return False, False
    found = find_ratios(pair, compute_upper_quantile((1 - LEVEL) / 2, n - 1.0))
    cost = CostOfPair(
        ratio=pair.a / pair.b,
        change=None,
        method="fieller",
        shape=found.shape,
        lower=found.lower,
        upper=found.upper,
        cheaper=None,
        sentence="",
    )
    old_rule = found.shape == "interval" and found.upper is not None
    old_rule = old_rule and (found.upper or 0.0) < 1 - CHEAPER_BY
    outcome = judge_cost(GATE, CHOICES, cost, CostsOfTable({}, {"new": new, "old": old}), layout)
    return bool(old_rule), outcome.outcome is GateOutcome.PASS

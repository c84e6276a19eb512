"""Answers of results that are looked at again and again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.vectors.reading import Ask
from thetahat.sequential import SequentialMethod, SequentialQuestion
from thetahat.sequential._boundaries import (
    find_boundaries,
    find_equal_boundaries,
    find_spent,
    spend_obrien_fleming,
    spend_pocock,
)
from thetahat.sequential.asymptotic import Asymptotic, compute_reach, compute_rho_squared
from thetahat.sequential.binomial_mixture import BinomialMixture
from thetahat.sequential.bounded import Bounded


def advance(
    method: SequentialMethod, values: Any, looks: Any, question: SequentialQuestion
) -> list[tuple[dict[str, Any], Any]]:
    """Return state and outcome after each of these numbers of values, sent as batches between."""
    state, found, before = method.begin(), [], 0
    for n in looks:
        batch = np.asarray(values[before:n], dtype=np.float64)
        state, outcome = method.advance(state, batch, question)
        state = json.loads(json.dumps(state))  # as it is stored
        found.append((state, outcome))
        before = n
    return found


def answer_bounded(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer confidence sequences of values in a known range."""
    is_pair, alpha = "range" in inputs, inputs["alpha"]
    question = SequentialQuestion(level=1 - alpha, reference=0.0, is_pair=is_pair)
    found = advance(Bounded((0, 1)), inputs["x"], inputs["looks"], question)
    start, width = (-1.0, 2.0) if is_pair else (0.0, 1.0)
    stake = math.log(2 / alpha)
    of_row = []
    for state, _ in found:
        won, bets = state["won"], state["bets"]
        lower = (won - stake - state["paid_below"]) / bets
        upper = 1 - (bets - won - stake - state["paid_above"]) / bets
        of_row.append([start + width * max(lower, 0.0), start + width * min(upper, 1.0)])
    answer: dict[str, Any] = {
        "predictable_mixture_empirical_bernstein": of_row,
        "predictable_mixture_empirical_bernstein_intersected": [
            [outcome.lower, outcome.upper] for _, outcome in found
        ],
    }
    if set(inputs["x"]) <= {0, 1} and not is_pair:
        half = SequentialQuestion(level=1 - alpha, reference=0.5, is_pair=False)
        mixed = [o for _, o in advance(BinomialMixture(), inputs["x"], inputs["looks"], half)]
        answer["beta_binomial_mixture"] = [[o.lower, o.upper] for o in mixed]
        answer["beta_binomial_e_value_at_half_uniform_prior"] = [
            math.exp(o.log_e_value) for o in mixed
        ]
    return answer


def answer_asymptotic(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the asymptotic sequence; its outcomes begin at row 100, the formula before."""
    alpha, t_opt = inputs["alpha"], inputs["t_opt"]
    rho_squared = compute_rho_squared(alpha, t_opt)
    ends = []
    for n in inputs["looks"]:
        x = np.array(inputs["x"][:n])
        reach = compute_reach(n, alpha, rho_squared) * float(x.std())
        ends.append([float(x.mean()) - reach, float(x.mean()) + reach])
    question = SequentialQuestion(level=1 - alpha)
    ((_, last),) = advance(Asymptotic(narrowest_at=t_opt), inputs["x"], [len(x)], question)
    ends[-1] = [last.lower, last.upper]
    return {"intervals_at_looks": ends, "rho_squared": rho_squared}


def answer_boundary(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the bound of a sum of unit variance: n times the reach."""
    return {
        "two_sided_each_tail": {
            str(alpha): [
                n * compute_reach(n, alpha, compute_rho_squared(alpha, inputs["v_opt"]))
                for n in inputs["v"]
            ]
            for alpha in inputs["alpha"]
        }
    }


def answer_planned(inputs: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
    """Answer the boundaries of planned looks, classical ones and those of spending."""
    answers = []
    for design in inputs["designs"]:
        sides, alpha = design["sided"], design["alpha"]
        two_sided = sides == 2
        if "spending" in design:
            shares = design["information"]
            spend = spend_obrien_fleming if design["spending"] == "asOF" else spend_pocock
            spent = [sides * spend(share, alpha / sides) for share in shares]
            critical = find_boundaries(shares, spent, two_sided=two_sided)
        else:
            n = design["looks"]
            shares = [(k + 1) / n for k in range(n)]
            is_pocock = design["type"] == "P"
            critical = find_equal_boundaries(n, alpha, two_sided=two_sided, is_pocock=is_pocock)
            spent = find_spent(shares, critical, two_sided=two_sided)
        answers.append({"critical_values": critical, "alpha_spent": spent})
    return {"designs": answers}

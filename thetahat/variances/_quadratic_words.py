"""What a quadratic estimator's coefficients and bias are, as JSON and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thetahat.values.types import FloatArray, Label
from thetahat.variances._quadratic_forms import fourth_coefficient

_SHOWN = 12  # terms of a bias put into words; the rest is in the numbers


def bias_of_folds(sizes: FloatArray, bias: tuple[float, float, float]) -> dict[str, Any]:
    """Coefficients on s_1, s_2, s_3 (per block where sizes differ) and the bias.

    ``sizes`` is (K,). With unequal blocks the coefficients stand on s2_k and w_k of each block
    and on s_3.
    """
    a1, a2, a3 = bias
    a4 = fourth_coefficient(bias)
    k = len(sizes)
    on_squares = a1 / k + 1 / (k**2 * sizes)
    on_pairs = a2 / k + (sizes - 1) / (k**2 * sizes)
    s3 = a3 + (k - 1) / k
    equal = bool(np.ptp(sizes) == 0)
    coefficients: dict[str, Any] = (
        {"s1": float(k * on_squares[0]), "s2": float(k * on_pairs[0]), "s3": s3}
        if equal
        else {"s2_k": on_squares.tolist(), "w_k": on_pairs.tolist(), "s3": s3}
    )
    terms = ((a1, "sigma^2"), (a2, "omega"), (a3, "gamma"), (a4, "mu^2"))
    return {
        "coefficients": coefficients,
        "bias": {"sigma_squared": a1, "omega": a2, "gamma": a3, "mu_squared": a4},
        "bias_in_words": in_words(terms),
    }


def bias_of_coefficients(
    sizes: FloatArray, labels: Sequence[Label], a: FloatArray, b: FloatArray, c: FloatArray
) -> dict[str, Any]:
    """Bias of an estimator over K sources, on sigma_k^2, omega_k, gamma_kl and the means.

    ``sizes``, ``a``, ``b`` are (K,), ``c`` is (K, K); the diagonals of pairs are None.
    """
    k = len(sizes)
    parts = {
        "sigma_squared": a - 1 / (k**2 * sizes),
        "omega": b - (sizes - 1) / (k**2 * sizes),
        "mu_squared": a + b,
    }
    size = np.abs(a) + np.abs(b) + 1 / k**2
    clean = {name: np.where(np.abs(x) <= 1e-12 * size, 0.0, x) for name, x in parts.items()}
    gamma = c - 1 / k**2
    gamma[np.abs(gamma) <= 1e-12 * (np.abs(c) + 1 / k**2)] = 0.0
    terms = [
        *_single(clean["sigma_squared"], "sigma^2[{}]", labels),
        *_single(clean["omega"], "omega[{}]", labels),
        *_paired(gamma, "gamma[{}, {}]", labels),
        *_single(clean["mu_squared"], "mu[{}]^2", labels),
        *_paired(c, "mu[{}] mu[{}]", labels),
    ]
    return {
        "sources": list(labels),
        "bias": {
            **{name: x.tolist() for name, x in clean.items()},
            "gamma": _without_diagonal(gamma),
            "mu_mu": _without_diagonal(c),
        },
        "bias_in_words": in_words(terms),
    }


def in_words(terms: Sequence[tuple[float, str]]) -> str:
    """Write the terms that are not zero as a sum: ``omega - 2 gamma``; ``none`` if all are."""
    shown = [(x, name) for x, name in terms if x != 0]
    if not shown:
        return "none"
    text = ""
    for x, name in shown[:_SHOWN]:
        size = "" if abs(x) == 1 else f"{abs(x):.6g} "
        sign = ("-" if x < 0 else "") if not text else (" - " if x < 0 else " + ")
        text += f"{sign}{size}{name}"
    left = len(shown) - _SHOWN
    return text if left <= 0 else f"{text} and {left} more terms"


def _single(numbers: FloatArray, name: str, labels: Sequence[Label]) -> list[tuple[float, str]]:
    return [(x, name.format(label)) for x, label in zip(numbers.tolist(), labels, strict=True)]


def _paired(matrix: FloatArray, name: str, labels: Sequence[Label]) -> list[tuple[float, str]]:
    """Each unordered pair once, with the sum of its two entries."""
    rows, columns = np.triu_indices(len(matrix), 1)
    both = matrix[rows, columns] + matrix[columns, rows]
    return [
        (x, name.format(labels[i], labels[j]))
        for x, i, j in zip(both.tolist(), rows.tolist(), columns.tolist(), strict=True)
    ]


def _without_diagonal(matrix: FloatArray) -> list[list[float | None]]:
    return [
        [None if i == j else float(x) for j, x in enumerate(row)]
        for i, row in enumerate(matrix.tolist())
    ]

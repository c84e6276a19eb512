"""The estimators as SPEC and the source define them: loops over pairs of losses, O(N^2).

A block matrix is a list of lists; with ``Fraction`` losses every value is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Blocks = Sequence[Sequence[Fraction]]


def exact(blocks: Sequence[Sequence[float]]) -> list[list[Fraction]]:
    return [[Fraction(e) for e in block] for block in blocks]


def s2(block: Sequence[Fraction]) -> Fraction:
    return sum((e * e for e in block), Fraction(0)) / len(block)


def w(block: Sequence[Fraction]) -> Fraction:
    m = len(block)
    total = Fraction(0)
    for i in range(m):
        for j in range(m):
            if i != j:
                total += block[i] * block[j]
    return total / (m * (m - 1))


def g(first: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    total = Fraction(0)
    for a in first:
        for b in other:
            total += a * b
    return total / (len(first) * len(other))


def g_sum(blocks: Blocks) -> Fraction:
    k = len(blocks)
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    return sum((g(blocks[i], blocks[j]) for i, j in pairs), Fraction(0))


def plug(blocks: Blocks) -> Fraction:
    k = len(blocks)
    total = g_sum(blocks) / k**2
    for block in blocks:
        m = len(block)
        total += s2(block) / (k**2 * m)
        if m > 1:
            total += Fraction(m - 1, k**2 * m) * w(block)
    return total


def s_1(blocks: Blocks) -> Fraction:
    return sum((s2(b) for b in blocks), Fraction(0)) / len(blocks)


def s_2(blocks: Blocks) -> Fraction:
    return sum((w(b) for b in blocks), Fraction(0)) / len(blocks)


def s_3(blocks: Blocks) -> Fraction:
    k = len(blocks)
    return g_sum(blocks) / (k * (k - 1))


def variance(values: Sequence[Fraction]) -> Fraction:
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((x - mean) ** 2 for x in values), Fraction(0)) / (len(values) - 1)


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


# Equal sizes: the table as printed, on s_1, s_2, s_3.


def _printed(blocks: Blocks, a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return a * s_1(blocks) + b * s_2(blocks) + c * s_3(blocks)


def _sizes(blocks: Blocks) -> tuple[int, int, int]:
    m = len(blocks[0])
    assert all(len(b) == m for b in blocks)
    return len(blocks), m, len(blocks) * m


def printed_theta_1(blocks: Blocks) -> Fraction:
    _, m, n = _sizes(blocks)
    return _printed(blocks, Fraction(1, n), Fraction(m - 1, n), Fraction(n - m, n))


def printed_theta_2(blocks: Blocks) -> Fraction:
    _, m, n = _sizes(blocks)
    return _printed(blocks, Fraction(1, n), -Fraction(n + 1 - m, n), Fraction(n - m, n))


def printed_theta_3(blocks: Blocks) -> Fraction:
    _, m, n = _sizes(blocks)
    return _printed(blocks, Fraction(1, n), Fraction(m - 1, n), -Fraction(m, n))


def printed_theta_4(blocks: Blocks) -> Fraction:
    _, _, n = _sizes(blocks)
    return _printed(blocks, Fraction(1, n), -Fraction(1, n), Fraction(0))


def printed_theta_5(blocks: Blocks) -> Fraction:
    _, m, n = _sizes(blocks)
    return _printed(blocks, Fraction(1, n), Fraction(n + m - 1, n), -Fraction(n + m, n))


# Any sizes: M_k in the place of M.


def theta_1(blocks: Blocks) -> Fraction:
    return plug(blocks)


def theta_3(blocks: Blocks) -> Fraction:
    return variance([mean(b) for b in blocks]) / len(blocks)


def theta_4(blocks: Blocks) -> Fraction:
    return theta_a(blocks)


def theta_5(blocks: Blocks) -> Fraction:
    k = len(blocks)
    between = variance([mean(b) for b in blocks])
    within = mean([variance(b) / len(b) for b in blocks])
    return theta_4(blocks) + (1 + Fraction(1, k)) * (between - within)


def theta_omega_k(blocks: Blocks) -> list[Fraction]:
    return [plug(blocks) - w(b) for b in blocks]


def theta_gamma_kl(blocks: Blocks) -> list[list[Fraction | None]]:
    p = plug(blocks)
    k = range(len(blocks))
    return [
        [None if i == j else p - (g(blocks[i], blocks[j]) + g(blocks[j], blocks[i])) / 2 for j in k]
        for i in k
    ]


def theta_omega(blocks: Blocks) -> Fraction:
    return plug(blocks) - s_2(blocks)


def theta_gamma(blocks: Blocks) -> Fraction:
    return plug(blocks) - s_3(blocks)


def theta_a(blocks: Blocks) -> Fraction:
    total = sum(((s2(b) - w(b)) / len(b) for b in blocks), Fraction(0))
    return total / len(blocks) ** 2


def theta_b(blocks: Blocks) -> Fraction:
    return 2 * theta_a(blocks)


def compute_with_bias(blocks: Blocks, bias: Sequence[Fraction]) -> Fraction:
    a1, a2, a3 = bias
    return plug(blocks) + a1 * s_1(blocks) + a2 * s_2(blocks) + a3 * s_3(blocks)


def compute_with_coefficients(
    blocks: Blocks,
    a: Sequence[Fraction],
    b: Sequence[Fraction],
    c: Sequence[Sequence[Fraction]],
) -> Fraction:
    total = Fraction(0)
    for k, block in enumerate(blocks):
        total += a[k] * s2(block) + b[k] * w(block)
        for l, other in enumerate(blocks):
            if k != l:
                total += c[k][l] * g(block, other)
    return total


def bayle_within(blocks: Blocks) -> Fraction:
    return mean([variance(b) for b in blocks]) / sum(len(b) for b in blocks)


def bayle_all_pairs(blocks: Blocks) -> Fraction:
    losses = [e for b in blocks for e in b]
    centre = mean(losses)
    return sum(((e - centre) ** 2 for e in losses), Fraction(0)) / len(losses) ** 2


def nadeau_bengio(blocks: Blocks) -> Fraction:
    n = sum(len(b) for b in blocks)
    ratio = Fraction(n, sum(n - len(b) for b in blocks))
    return (Fraction(1, len(blocks)) + ratio) * variance([mean(b) for b in blocks])


def cluster_robust(blocks: Blocks, cluster: Sequence[int]) -> Fraction:
    losses = [e for b in blocks for e in b]
    centre = mean(losses)
    groups = sorted(set(cluster))
    total = Fraction(0)
    for group in groups:
        inside = [e - centre for e, c in zip(losses, cluster, strict=True) if c == group]
        total += sum(inside, Fraction(0)) ** 2 / (1 - Fraction(len(inside), len(losses)))
    return total / len(losses) ** 2


RANDOM: dict[str, Callable[[Blocks], Fraction]] = {
    "theta_1": theta_1,
    "theta_2": theta_omega,
    "theta_3": theta_3,
    "theta_4": theta_4,
    "theta_5": theta_5,
    "bayle_within": bayle_within,
    "bayle_all_pairs": bayle_all_pairs,
    "nadeau_bengio": nadeau_bengio,
}
PRINTED: dict[str, Callable[[Blocks], Fraction]] = {
    "theta_1": printed_theta_1,
    "theta_2": printed_theta_2,
    "theta_3": printed_theta_3,
    "theta_4": printed_theta_4,
    "theta_5": printed_theta_5,
}
SOURCE: dict[str, Callable[[Blocks], Fraction]] = {
    "theta_omega": theta_omega,
    "theta_gamma": theta_gamma,
    "theta_A": theta_a,
    "theta_B": theta_b,
    "nadeau_bengio": nadeau_bengio,
}

"""Sums and products of a few models' losses if the rows of each block are consecutive.

Four models at a time are multiplied with each other and with two others, straight from where
their losses stand. So many rows of all models are read at a time that they stay in the second
cache until all their products are added.
"""

from __future__ import annotations

from thetahat.values.types import FloatArray, IntArray


def of_runs(  # noqa: C901, PLR0913, PLR0915 - a compiled loop calls no others
    models: tuple[FloatArray, ...],
    at_once: int,
    starts: IntArray,
    about: FloatArray,
    sums: FloatArray,
    products: FloatArray,
) -> None:
    """Add to sums and, on and below the diagonal, to products, ``at_once`` rows at a time.

    ``about`` and both results are of an even number of models.
    """
    m = about.shape[1]
    for k in range(len(starts) - 1):
        least, total, own = about[k], sums[k], products[k]
        for low in range(starts[k], starts[k + 1], at_once):
            high = min(low + at_once, starts[k + 1])
            for p in range(0, m - 3, 4):
                x0, x1 = models[p][low:high], models[p + 1][low:high]
                x2, x3 = models[p + 2][low:high], models[p + 3][low:high]
                l0, l1, l2, l3 = least[p], least[p + 1], least[p + 2], least[p + 3]
                s0 = s1 = s2 = s3 = 0.0
                a = b = c = d = e = f = g = h = s = t = 0.0
                for i in range(high - low):
                    v0, v1, v2, v3 = x0[i] - l0, x1[i] - l1, x2[i] - l2, x3[i] - l3
                    s0 += v0
                    s1 += v1
                    s2 += v2
                    s3 += v3
                    a += v0 * v0
                    b += v0 * v1
                    c += v1 * v1
                    d += v0 * v2
                    e += v1 * v2
                    f += v2 * v2
                    g += v0 * v3
                    h += v1 * v3
                    s += v2 * v3
                    t += v3 * v3
                total[p] += s0
                total[p + 1] += s1
                total[p + 2] += s2
                total[p + 3] += s3
                own[p, p] += a
                own[p + 1, p] += b
                own[p + 1, p + 1] += c
                own[p + 2, p] += d
                own[p + 2, p + 1] += e
                own[p + 2, p + 2] += f
                own[p + 3, p] += g
                own[p + 3, p + 1] += h
                own[p + 3, p + 2] += s
                own[p + 3, p + 3] += t
                for q in range(0, p, 2):
                    y0, y1 = models[q][low:high], models[q + 1][low:high]
                    e0, e1 = least[q], least[q + 1]
                    a = b = c = d = e = f = g = h = 0.0
                    for i in range(high - low):
                        w0, w1 = y0[i] - e0, y1[i] - e1
                        v0, v1, v2, v3 = x0[i] - l0, x1[i] - l1, x2[i] - l2, x3[i] - l3
                        a += v0 * w0
                        b += v0 * w1
                        c += v1 * w0
                        d += v1 * w1
                        e += v2 * w0
                        f += v2 * w1
                        g += v3 * w0
                        h += v3 * w1
                    own[p, q] += a
                    own[p, q + 1] += b
                    own[p + 1, q] += c
                    own[p + 1, q + 1] += d
                    own[p + 2, q] += e
                    own[p + 2, q + 1] += f
                    own[p + 3, q] += g
                    own[p + 3, q + 1] += h
            for p in range(m // 4 * 4, m, 2):  # the last two, where they are not four
                x0, x1 = models[p][low:high], models[p + 1][low:high]
                l0, l1 = least[p], least[p + 1]
                s0 = s1 = 0.0
                for i in range(high - low):
                    s0 += x0[i] - l0
                    s1 += x1[i] - l1
                total[p] += s0
                total[p + 1] += s1
                for q in range(0, p + 1, 2):
                    y0, y1 = models[q][low:high], models[q + 1][low:high]
                    e0, e1 = least[q], least[q + 1]
                    a = b = c = d = 0.0
                    for i in range(high - low):
                        v0, v1, w0, w1 = x0[i] - l0, x1[i] - l1, y0[i] - e0, y1[i] - e1
                        a += v0 * w0
                        b += v0 * w1
                        c += v1 * w0
                        d += v1 * w1
                    own[p, q] += a
                    own[p, q + 1] += b
                    own[p + 1, q] += c
                    own[p + 1, q + 1] += d

"""Sizes at which one way of computing a learner replaces another, each with its measurement.

Times are CPU times of one thread. They are medians of seven runs of both ways in turn in one
process, but for those of logistic regression, which are single runs.
"""

from __future__ import annotations

from typing import Final

MIN_COEFFICIENTS_FOR_GRADIENTS: Final = 256
MAX_ROWS_A_COLUMN_FOR_GRADIENTS: Final = 5
"""Logistic regression with so many coefficients, and at most so many rows for each column, is
solved from gradients alone instead of with a factor of the curvature of each training part.

Ten folds of n rows and p columns, by gradients and by factors: (2000, 2000) 1.4 and 15 s,
(2000, 1000) 0.80 and 3.1 s, (2000, 500) 0.42 and 1.13 s, (1000, 300) 0.10 and 0.26 s, (500, 300)
with correlated columns 0.25 and 2.3 s; but (300, 200) 0.030 and 0.037 s, (5000, 500) 1.7 and 1.9 s,
(20 000, 500) 1.7 and 1.3 s.
"""

MIN_PAIRS_FOR_LOOPS: Final = 1_000_000
"""Nearest rows are searched by products of whole matrices below so many pairs of queries and rows;
above, by compiled loops, or by a tree if there are more than 10 * 4^p rows with p columns.

All rows as queries, lists of 13, in ms: (2000, 5) loops 5.8, tree 15, products 16; (2000, 12) loops
7.3, tree 48, products 15; (10 000, 3) loops 79, tree 36, products 237; (10 000, 8) loops 105, tree
578, products 262. Below, a tree gains less than half: (300, 3) tree 1.0, products 1.2; (300, 10)
tree 1.7, products 1.3. The loops need numba, which takes half a second to load.
"""

MIN_ROWS_FOR_LOOPS: Final = 1000
"""Rows of the data for which a compiled loop reads the lists of nearest rows.

Ten folds, loop and NumPy, in ms: 1000 rows 0.026 and 0.12, 5000 rows 0.14 and 0.56, 20 000 rows 1.6
and 3.1. Fewer rows do not need numba at all.
"""

MIN_ENTRIES_FOR_LOOPS: Final = 10_000
"""Features times penalties for which ridge is solved from a tridiagonal form by a compiled loop.

Tridiagonal and diagonal, in ms: 100 features with 200 penalties 0.44 and 0.86, with 20 penalties
0.31 and 0.79; 300 with 50 3.4 and 7.7; 500 with 20 13 and 25.
"""

MIN_VALUES_FOR_LOOPS: Final = 200_000
"""Values for which naive Bayes is computed by compiled loops: rows times columns for the Gaussian
one, stored values of sparse counts for the others.

A tenth of the rows, loop and NumPy, in ms: sums of (20 000, 20) 0.043 and 0.097, of (100 000, 20)
0.27 and 0.62; distances of (20 000, 20) 0.080 and 0.39, of (100 000, 20) 0.98 and 2.1. A tenth of
the rows, loop and scipy.sparse: sums of 200 000 counts 0.027 and 0.30, of 2 million 0.21 and 2.8;
scores of two classes 0.10 and 0.23, 0.31 and 1.1; log odds 0.026 and 0.077, 0.19 and 0.37.
"""

MAX_LISTED_LOGARITHMS: Final = 65_536
"""Largest whole number whose logarithm naive Bayes of counts looks up: half a megabyte of them,
which stays in the cache.

200 000 counts, looked up and computed, in ms: counts up to 100 0.11 and 0.55, up to 10 000 0.13 and
0.55.
"""

MAX_PRODUCTS_OF_RESAMPLES: Final = 20_000_000
"""Products of pairs of columns, of all rows, up to which resamples are summed together for ridge.

40 resamples together and each by itself, in ms: 5 columns of 200 rows 0.10 and 0.23, 22 of 2000 2.0
and 4.4, 22 of 20 000 18 and 77, 52 of 8000 37 and 80; but 102 of 2000 40 and 40.
"""

MAX_CONDITION_OF_ROTATION: Final = 1e10
"""Condition number of the products of ridge's columns up to which leave-one-out rotates the rows to
their directions in place of reflecting them: the rotated rows keep their digits.

20 penalties, in ms: 20 000 x 20 12 and 20, 20 000 x 100 46 and 104, 2000 x 20 0.8 and 0.9.
"""

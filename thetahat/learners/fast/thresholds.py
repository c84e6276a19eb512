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

"""Sizes at which one way of computing replaces another, each with its measurement.

Times are CPU milliseconds of one thread, medians of three to seven runs of each way in turn in one
process, first those of the way for which the size is the limit. Where this is a compiled loop, the
gain below the limit is less than a millisecond or two, and numba, which takes half a second to
load, need not be loaded.
"""

from __future__ import annotations

from typing import Final

MANY_DRAWS: Final = 2**22
"""Draws of all resamples (units times resamples) for which the bootstrap uses loops.

Sums of one column against counts and a matrix product: 1000 units, 9999 resamples 7.1 and 8.8;
10 000 units, 999 resamples 4.7 and 9.5; 100 000 units, 999 resamples 30 and 280. Counts of 20 kinds
of rows against counts of rows: 1000 units 6.7 and 21, 10 000 units 6.2 and 48.
"""

MANY_COUNTED_DRAWS: Final = 2**25
"""Draws of all resamples that are counted by a loop although numba is not loaded yet.

Counts are whole numbers, the same either way. 9999 resamples of ten strata, by NumPy and by the
loop: 1000 units 83 and 15, 2000 units 168 and 29, 6000 units 460 and 70; loading numba takes 450.
"""

MANY_FLIPS: Final = 10**7
"""Terms times patterns of a sign-flip test for which tables of partial sums are used.

10 000 patterns: 100 terms 0.10 and 0.73, 1000 terms 0.44 and 5.6, 10 000 terms 3.3 and 56.
"""

MANY_STRATA: Final = 64
"""Strata from which sums over all of them are computed at once, not stratum by stratum.

All 999 resamples with their draws: 100 strata of 10 units 37 and 57, 300 of 10 units 59 and 159,
1000 of 4 units 97 and 262; but 100 of 100 units 73 and 18.
"""

MAX_COLUMNS_TO_GATHER: Final = 3
"""Columns whose drawn rows are added one by one, without counting how often each is drawn.

1000 units, 9999 resamples: 1 column 4.4 and 10, 2 columns 8.7 and 11, 4 columns 15 and 11; 8000
units, 999 resamples: 1 column 2.4 and 6.2, 2 columns 4.7 and 7.1.
"""

MIN_UNITS_FOR_CELLS: Final = 512
"""Units of a stratum from which draws come from cells. Another value changes the draws of a seed.

Counts of 500 resamples from cells and one by one: 256 units 0.30 and 0.20, 1024 units 0.42 and
0.65, 4096 units 1.8 and 5.3; sums of one column over 4 million draws: 512 units 1.4 and 3.3.
"""

ROWS_OF_A_KIND: Final = 4
"""Rows for each kind of row from which draws are counted by kind.

A metric or quantile is then computed from so many fewer counts; counting itself takes 6.2 and 9.2
for 100 000 rows of 20 000 kinds, 0.44 and 0.46 for 10 000 rows of 1000 kinds.
"""

MAX_SHARED_DRAWS: Final = 2**26
"""Draws from a stratum up to which pairs share the resamples of the models. Another value changes
the resamples of a seed.

With more draws a pair whose differences have few values gets counts by value: for 100 000 units,
999 resamples and two values 0.12 for the values and some milliseconds for the counts, in place of
the 30 of sums over draws.
"""

FEW_DISCORDANT_CLUSTERS: Final = 5
"""Clusters with a discordant instance from which the design effect of paired rates is estimated
from them alone.

``not_worse`` by exactly the margin was said in these shares of samples, with 0, 5, 7 and 10: ten
clusters of ten, rates .05 and .02, correlation .3 in the clusters: .035, .001, .000, .000; twenty,
rates .05 and 0: .126, .000, .000, .000; twenty of 2 to 50, rates .05 and 0: .152, .037, .005, .000.
Differences .1 against .03 in ten clusters of ten were found in .21, .13 and .02 with 5, 7 and 10.
"""

MANY_PAIRED_INSTANCES: Final = 100
"""Instances up to which the p-value of a margin of 0/1 losses is at least an exact probability.

The largest probability of ``not_worse`` at exactly the margin, over all rates and margins up to .3,
by the score test alone and with it: 3 instances .123 and .043, 4 .126 and .061, 10 .095 and .056,
40 .070 and .053, 60 .060 and .053, 120 .060 and .054. A p-value takes 0.1, 0.3 where each model is
alone in its error 30 times and more; without it .004.
"""

MOSTLY_DISCORDANT: Final = 0.75
"""Share of discordant instances from which McNemar's exact p-value takes the place of mid-p.

Where all of n differ, their number varies little and mid-p rejects too often. The largest
probability of rejecting equal rates at .05, over shares of .05 to 1 and 5 to 200 instances, is .077
by mid-p (16 instances that all differ; above .05 only from a share of .8 on) and .0498 with this
rule, also from .6 or .8 on; at .01 it is .0156 and .0099, at .1 .146 and .1004 (all tables
enumerated).
"""

SAME_CONTRIBUTIONS: Final = 1e-9
"""Contributions of items to a coefficient of agreement that differ by less, as a share of the
largest one, differ by rounding alone. In 1 500 random tables of up to 60 items whose contributions
are equal they differed by 1e-15; one item that counts otherwise makes them differ by about 1."""

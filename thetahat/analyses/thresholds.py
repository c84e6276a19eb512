"""Sizes at which one way of computing an analysis replaces another, each with its measurement."""

from __future__ import annotations

from typing import Final

MIN_MODELS_FOR_PRODUCTS: Final = 3
"""Models from which the moments of pairs come from products of all models, not from each pair.

CPU milliseconds of one thread, medians of three, products and pairs: 5 models of 1000 losses in ten
blocks 0.20 and 0.91, 20 models 0.67 and 17, 100 models 9.1 and 434; 200 models of 100 losses in one
block 25 and 444. Two models are one pair.
"""

SKEWED: Final = 2.0
"""Standard errors of the pooled skewness from which ends allow for skewness. Of five groups of 10,
20, 30 and 100 normal values it is exceeded in .01, .03, .04 and .04; of squared normal and
exponential values in .85 to 1. All five intervals then cover these in .84 to .89, .93 to .94, .94
and .93 to .95, where those by t do in .66 to .80, .76 to .87, .82 to .89 and .87 to .94."""
MOST_SCORE_GROUPS: Final = 5
"""Groups up to which error rates have Wilson's interval, and beyond which the exact one. All groups
of 20 rows with a rate of .1 hold at once by it in .945 (5 groups), .89 (10) and .95 (20), with .05
in .92, .85 and .73; 20 groups of 50 rows with a rate of .02 in .70, by exact enumeration. Far from
the middle the score test rejects rare errors too often. The exact interval holds in .95 or more and
is 3 to 8 % longer at a rate of .1. Of a gap between 20 and 200 rows, rates .05, the interval from
Wilson's misses in 5 times the .00026 that each of 190 pairs may miss in, that from exact ones in a
third of it."""
LARGEST_SIZE: Final = 0.06
"""How often Wald's chi-squared of equal means may reject at level .05, by the reference of Welch's
F, before that is used. Of five equal groups of 10, 20, 30 and 50 normal values it rejects in .098,
.081, .069 and .058 of 3000 samples, and Welch's F in .052, .059, .051 and .048."""
LARGEST_SKEWNESS: Final = 0.5
"""Skewness of a group's mean up to which its interval reaches its level. The largest of five groups
is .63 on average with 10 squared normal values each, .55 with 10 exponential and .64 and .62 with
20 and 30 lognormal ones, and the intervals of all cover in .84, .89, .88 and .88. It is .59 and .52
with 20 and 30 squared normal values, .46 with 20 exponential and .48 with 100 lognormal ones, and
they cover in .93 to .94."""
FEWEST_SKEWED: Final = 25
"""Units of each group from which the intervals of skewed groups reach their level, as of
``LARGEST_SKEWNESS``: with 10, 20 and 30 exponential values they cover in .89, .94 and .94, with as
many squared normal ones in .84, .93 and .94, with as many lognormal ones in .82, .88 and .88."""
LEAST_SKEWNESS: Final = 0.3
"""Skewness of a group's mean, by that of all groups, from which one-sided bounds of a difference
rest on their spread and skewness, too; with fewer than ``FEWEST_SKEWED`` rows they always do. Below
it the ends of the group alone find a model that is worse by the margin not worse in .05 to .07 (50
exponential, 200 lognormal differences), above it in .05 to .63, and with all groups in .00 to .07,
but for ten rows with one large difference in twenty (.32). The power, as a share of the oracle's,
is lower by .02 to .1 for lognormal differences and by up to .25 for rare ones, and where the other
groups are twice as spread it falls from .73 to .29, and from .64 to .06 (edges/gates_by_group)."""
LARGEST_SKEWNESS_OF_TEST: Final = 0.2
"""Skewness of the mean of a typical group up to which Welch's F of equal means reaches its level
with six groups and more. With .14 (200 exponential values) it rejects in .05 to .06 of 1500 samples
of 6 to 40 groups, with .2 (100 of them) in .07 to .08, with .27 (100 rows, a rate of .1) in .07 to
.14 and with .45 (40 squared normal values) in .06 to .17."""
FEWEST_LEFT_OUT: Final = 10
"""Rows, or clusters, from which R squared has an interval: with 5, 8, 10 and 15 rows it covers
normal data in .94, .94, .95 and .95, and skewed targets in .90, .89, .88 and .89; with 5 it is 4 to
10 units of R squared long."""
LARGEST_LOG: Final = 700.0
"""Logarithm of the largest distance from the limit; that of the largest number is 709.8."""
SKEWED_TARGETS: Final = 0.5
"""Skewness of the targets beyond which they are nearer to the skewed ones of the study of groups,
whose skewness is 1, than to its normal ones. Of 200 rows it is exceeded in .94 of the skewed
samples and in .006 of the normal ones; a limit of 1 was exceeded in .43 of the skewed ones."""
NORMAL_SKEWNESS: Final = 2.58
"""Standard errors (the root of 6/n) beyond which it must be as well, up to a skewness of 1, so that
few rows of normal targets are not taken as skewed: they exceed it in .01 of the samples."""
MOST_ENUMERATED: Final = 400
"""Discordant instances on average up to which the power of McNemar's mid-p test is enumerated. At
the difference that has a power of .8 by the normal form, the exact power with alpha .05, .01, .001
and .0001 is .812, .822, .838 and .860 with 50 of them, .802, .804, .809 and .815 with 200, and
.801, .802, .804 and .807 with 400. A smallest difference takes 2 milliseconds by enumeration and
0.1 by that form."""
FEWEST_ERRORS: Final = 3.0
"""Errors, and hits, that both values are worth from which a difference of metrics has an interval
on its own variance. Of areas, by the limits of both models alone: with 30 positives of 200, normal
scores shifted by 4 and by 2 and fewer, that interval covers in .91 and the limits do in .94; with
positives that partly score like negatives it covers in .94, and finds a difference in .53 of the
samples, the limits in .25. A limit of 1, 2, 3, 4 and 5 covers the worst of 64 such designs in .88,
.91, .91, .91 and .91 and finds that difference in .50, .48, .44, .38 and .33; ten positives of 200
are said to differ wrongly in .020, .027, .043, .059 and .069."""
FEWEST_NORMAL: Final = 30
"""Instances of the smaller class from which DeLong's test of two areas is normal, as published:
with 30 of 200 its interval covers in .92 to .95, with 10 in .91 to .93, by t in .95."""
POWER_OF_FLOOR: Final = 3
"""By which power the least variance of ``area_score`` falls beyond ``FEWEST_NORMAL`` instances of
the smaller class, and beyond ``FEWEST_ERRORS`` errors. The rule was chosen on 769 designs of eleven
distributions of scores, with 5 to 25 of the smaller class, 20 to 500 of the other or as many, and
areas of .6 to .99: it covers in .938 and more, on 765 others in .945 and more, where the logit
interval covers in .74 and more. With 50 it is 0 to 2 % longer than that for areas up to .97, and a
quarter for .99, where that covers in .73 to .93; a power of 2 from 20 instances on left .89."""
FEWEST_OF_SCALE: Final = 3
"""Fewest losses in percent, and fewest fractions, by which a column seems to have both. With one
loss beyond 10, lists with 5 % of errors twenty times as large would have both in .011; with
three of each in .001 of 8000 lists of 8 to 200."""
FEWEST_PRICED: Final = 60
"""Rows, or clusters, from which costs by row may be read as they are. Of a kind of row that is 5 %
of all, 50 rows miss every one in .077 of the samples, 60 in .046 and 73 in .024. A model of whose
rows 5 % cost 20 times as much, and which is cheaper by exactly what is required, passed in .75,
.62, .36, .20 and .08 of the samples of 5, 10, 20, 30 and 50 rows, and passes in .05 with 60."""
FEWEST_UNREMARKED: Final = 150
"""Rows, or clusters, from which a gate by cost passes without naming the share that they may miss,
2 % of all. Where 2 % of the calls of a model cost 50 times as much, and it saves exactly what is
required, it passes in .30, .14 and .02 of the samples of 60, 100 and 200 rows."""
MISSED: Final = 0.05
"""How often that many rows may miss every row of a kind, which gives its largest share: .45, .26,
.14, .095 and .058 with 5, 10, 20, 30 and 50 rows."""
DEAR: Final = 20.0
"""What an unseen row may cost, in mean costs, while fewer rows are known. With 30 rows of token
lengths, gamma of shape 2, a model that costs a third of what is allowed passes in .99, and one that
costs half of it in .00; with 5 no model does that costs a third (edges/gates_by_cost)."""

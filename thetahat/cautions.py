"""Every caution that a result can carry: its code, how serious it is, its sentence and advice.

A caution says that a number is defined but doubtful. Code raises one by calling its entry here
with the values of the sentence, as in ``FEW_CLUSTERS(n=4)``; texts, pages and the documentation
take title, severity and advice from the same entry. Where a caution depends on a threshold, the
entry holds the threshold and the reason for its value.

Sentences that are about the blocks or the losses of the result have the fields of ``Words``, such
as ``{block}`` and ``{values}``, and such an entry is called with the words first:
``UNEQUAL_BLOCKS(layout.words, smallest=4, largest=9)``. Where fold, source or loss is the general
term, it is written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Final

from thetahat.values.number_text import format_number
from thetahat.values.types import BlockKind
from thetahat.values.words import Words, choose_words


class Severity(StrEnum):
    """How much a caution matters to a decision."""

    INFO = "info"  # describes how the number was computed; the number holds
    WARNING = "warning"  # the number is less certain, or answers another question, than it seems
    SERIOUS = "serious"  # a decision should not rest on the number as it is


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning about a number in a result."""

    code: str
    """Stable machine-readable name of the caution."""
    message: str
    """One or two sentences with the values of this case."""
    severity: Severity = Severity.WARNING
    """``info``, ``warning`` or ``serious``."""
    advice: str = ""
    """What to do about it; empty where there is nothing to do."""
    title: str = field(default="", compare=False)
    """What it is about, in a few words."""

    def with_prefix(self, prefix: str) -> Caution:
        """Return the same caution with its message put after ``prefix: ``."""
        return replace(self, message=f"{prefix}: {self.message}")


_ENTRIES: dict[str, CautionKind] = {}


@dataclass(frozen=True, slots=True)
class CautionKind:
    """One entry of the catalogue."""

    severity: Severity
    """How much the caution matters."""
    code: str
    """Wire name, unique in the catalogue."""
    title: str
    """What it is about, in a few words: the line that is read where the sentence is folded. It
    names neither blocks nor sources, for which requests have words of their own."""
    sentence: str
    """Message as a format string; its fields are words and the arguments of a call."""
    advice: str = ""
    """What to do about it, as a format string too; its fields are words."""
    threshold: float = float("nan")
    """Value of the quantity named in the sentence from which the caution is raised, or NaN where no
    threshold is involved."""
    reason: str = ""
    """Why the threshold has that value."""

    def __post_init__(self) -> None:
        if _ENTRIES.setdefault(self.code, self) is not self:
            raise RuntimeError(f"the caution {self.code!r} is defined twice")

    def __call__(self, words: Words | None = None, /, **values: object) -> Caution:
        """Return the caution; its sentence is filled with words, values and ``threshold``.

        Floating-point numbers are written by ``format_number``. An entry without a field of
        ``Words`` takes no words.
        """
        texts = {
            name: format_number(value) if isinstance(value, float) else value
            for name, value in {"threshold": self.threshold, **values}.items()
        }
        fields = {} if words is None else words.fields
        message = self.sentence.format(**fields, **texts)
        return Caution(self.code, message, self.severity, self.advice.format(**fields), self.title)


_info = partial(CautionKind, Severity.INFO)
_warning = partial(CautionKind, Severity.WARNING)
_serious = partial(CautionKind, Severity.SERIOUS)

# The layout of the losses: what the blocks are and how many there are.

BLOCKS_ASSUMED_RANDOM = _warning(
    "blocks_assumed_random",
    "Taken as random folds",
    "The request does not say what a block is, so the blocks are taken as random folds.",
    'Send "blocks": "random", "source" or "holdout"; for sources and holdout sets the intervals '
    "are different ones.",
)
FEW_BLOCKS = _warning(
    "few_blocks",
    "Uncertain spread",
    "{subject} rests on {n} {units}. With fewer than {threshold} the variance between them is "
    "itself uncertain, and the interval is wide.",
    "Use more of them.",
    threshold=10,
    reason="Student's t with 9 degrees of freedom widens a 95 % interval by 15 %, and the "
    "estimated standard error is off by about 24 % (1 / sqrt(2 * 9)); below that both grow fast.",
)
SCORES_AS_LOSSES = _serious(
    "scores_as_losses",
    "Scores taken as losses",
    "{reason}, which is how scores look. The values were taken as losses, of which lower ones are "
    "better; if higher ones are better, every verdict is the wrong way round.",
    'Send "better": "higher" if higher values are better, or "better": "lower" if they are losses.',
    threshold=0.5,
    reason=(
        "A model that is wrong on more than half of the items is rare, and a comparison in which "
        "all models are is rarer. The caution only asks; no value is changed."
    ),
)
ROW_NUMBERS_AS_LOSSES = _serious(
    "row_numbers_as_losses",
    "Row numbers taken as a model",
    "The values of {model!r} are the whole numbers {low} to {high}, each once, as the numbers of "
    "rows or items are. They were compared as the {values} of a model.",
    'Leave this column out of the models; if it numbers the test instances, send it as "instance".',
    threshold=5,
    reason="Values that are whole numbers without a gap or a repetition are very unlikely to be "
    "losses from five rows on: the losses would be a permutation of the row numbers.",
)
SCALES_DIFFER = _serious(
    "scales_differ",
    "Values on different scales",
    "The values of {large!r} are {large_range}, and those of {small!r} {small_range}, as percent "
    "are beside fractions. They were compared as they are.",
    "If the scales differ, bring the values to one scale.",
    threshold=30.0,
    reason="Losses and scores of the same rows are rarely apart by so much: of two classifiers the "
    "worse one would be right or wrong thirty times as often. The caution only asks; no value is "
    "changed.",
)
SCALES_MIXED = _serious(
    "scales_mixed",
    "Two scales among the values of a model",
    "{name!r} is {small} in row {small_row} and {large} in row {large_row}: {n_small} values are "
    "at most 1, and {n_large} are {large_range}, as percent are beside fractions{others}. All were "
    "used as they are.",
    "If the scales differ, bring the values to one scale.",
    threshold=0.25,
    reason="Values between 1 and 10 are at most this multiple of those from 0.1 to 1, and of those "
    "from 10 to 100, whichever are fewer. Of 4000 lists each of 8 to 200 numbers from 19 shapes "
    "(lognormal, gamma, percent, log losses, 5 % of large errors) at most 4 in 1000 had both; "
    "of 60 fractions of which a fifth to a half is in percent, 90 in 100 or more.",
)
MODELS_IN_ROWS = _serious(
    "models_in_rows",
    "A column of models is not used",
    "Column {column!r} names {n} models, such as {first!r} and {second!r}, and the request does "
    "not use it: the {values} of all of them are in one mean, as of one model.",
    'Send losses as "logs" with the score, this column in logs.columns.model and that of the items '
    "in logs.columns.item; write predictions in a column for each model. If it names no models, "
    "rename it.",
)
OTHER_ITEMS = _serious(
    "other_items",
    "Items in two orders",
    "{found}",
    "Give the values of an item in one row, or a row for each item and model; if the rows are "
    "right, remove one of the two columns.",
)
ROWS_REPEATED = _warning(
    "rows_repeated",
    "Equal rows",
    "{n} of {n_rows} rows have the same {values} of every model as an earlier row; the first is "
    "row {row}, which is equal to row {earlier}. If they are copies, intervals are too short and "
    "p-values too small.",
    "Remove copies. If they are runs of one item or depend on each other, send what they share "
    'as "item" or "cluster".',
    threshold=5,
    reason="Fewer rows may be equal at the ends of a range. There must also be ten times as many "
    "as among numbers of so many digits that are spread over their range, and a tenth of all rows: "
    "instances with the same features and target have the same losses.",
)
RUNS_AVERAGED = _info(
    "runs_averaged",
    "Runs averaged by item",
    "Items have up to {n} runs, whose scores are averaged: an item counts once.",
)
RUNS_UNEQUAL = _warning(
    "runs_unequal",
    "Unequal numbers of runs",
    "Item {item!r} of {model!r} has {n} rows and other items have {fewest}: they are averaged as "
    "runs of one item.",
    "If a row stands in the file twice, or two items have one name, mend the file.",
)
RUNS_WITHOUT_SCORE = _warning(
    "runs_without_score",
    "Runs without a score",
    "{n} of {n_runs} runs of {model!r} have no score, as runs that ended in an error: their items "
    "are averaged over the other runs, which favours a model that fails where it would be wrong.",
    "Repeat these runs; or, if an error is a wrong answer, write its score into the log.",
)
LOG_UNFINISHED = _serious(
    "log_unfinished",
    "A log that did not end well",
    "File {file} of the logs: {sentence}",
    "Let the evaluation end, and send its log. Items that are missing in every log are in no "
    "number here.",
)
INPUTS_DIFFER = _warning(
    "inputs_differ",
    "Other inputs under the same ids",
    "{n} of {n_items} items have another input in the log of {model!r} than in that of the first "
    "model; the first is item {item!r}. Either the prompts differ, or items of one id are not the "
    "same.",
    "Compare the inputs in the logs. If the items differ, the models cannot be paired by them.",
)
TOTAL_ROW = _serious(
    "total_row",
    "A row that sums up others",
    "Row {row} seems to sum up other rows: {reason}. It counts as a test instance.",
    "Remove such rows from the data.",
)
MISSING_CODE = _serious(
    "missing_code",
    "A number that may mean missing",
    "{name!r} is {code} in row {row} ({n} rows), and {low} to {high} in the others: such "
    "numbers often stand for missing values. It counts as a value.",
    "Leave the cell empty, or send null, if the value is missing.",
)
TASK_BY_TARGET = _info(
    "task_by_target",
    "Task chosen by the target",
    "The task is {task}, because the target {target!r} {reason}.",
    "If this is wrong, set task.",
)
RATIO_OF_SUMS = _info(
    "ratio_of_sums",
    "A score that is no mean of items",
    "The score {score!r} is {formula} over all items of a task. Items have the values of its "
    "jackknife, which give its standard error; one of them says nothing by itself, so there are "
    "no win rates and no tests by signs or ranks.",
)
PROBABILITIES_NORMALISED = _info(
    "probabilities_normalised",
    "Probabilities divided by their sums",
    "The probabilities of {model!r} sum to {low} to {high} in {n} rows, as rounded ones do, and "
    "are divided by their sums. Sums within {threshold} of 1 are taken so.",
    "Send more decimals if the losses are to be exact.",
    threshold=0.005,
    reason="Probabilities of up to ten classes that are rounded to three decimals sum to 1 within "
    "0.005.",
)
NO_PARTITION = _info(
    "no_partition",
    "Overlapping test parts",
    "The test parts overlap. More splits reduce the variation due to splitting, not the variation "
    "due to the sample, and the pooled mean counts an instance once for each test part it is in.",
)
ROWS_LEFT_OUT = _warning(
    "rows_left_out",
    "Rows left out",
    "Rows with a missing value are left out: {details}. All numbers are about the other "
    "{n_remaining} rows. If rows with missing values are harder to predict, the error of all rows "
    "is larger.",
    "Find out why the values are missing.",
)
SAMPLE_ROWS_LEFT_OUT = _warning(
    "sample_rows_left_out",
    "Rows of a sample left out",
    "Rows of the {sample} with a missing value are left out: {details}. Weights, risks and "
    "choices are about the other {n_remaining} rows, and do not correct for kinds of rows in "
    "which more values are missing.",
    "Find out why the values are missing.",
)
SMALL_SOURCES_LEFT_OUT = _warning(
    "small_sources_left_out",
    "Single rows left out",
    "Of {n} sources there is a single row, and they are left out: {names}. All numbers are about "
    "sources with at least two rows, which may be easier than small ones.",
    "Collect more rows of small sources, or keep them and use the intervals for a new source, "
    "which need no variance within sources.",
)
UNEQUAL_BLOCKS = _info(
    "unequal_blocks",
    "Unequal sizes",
    "The {blocks} have {smallest} to {largest} instances. The mean {value} gives each {block} the "
    "same weight, the pooled mean each instance.",
)
SPLIT_SCORES_ONLY = _info(
    "split_scores_only",
    "One number for each split",
    "Only one number per split is known. Methods that need the {value} of each instance are left "
    "out.",
    "Send the {value} of each instance to get them.",
)
NO_TRAINING_VARIANCE = _warning(
    "no_training_variance",
    "About these trained models",
    "Each model was trained once and tested on one test set. All numbers are about these trained "
    "models; they leave out how much results change with other training data.",
    "Use cross-validation to compare learning methods.",
)
CLUSTERS_CROSS_BLOCKS = _serious(
    "clusters_cross_blocks",
    "Clusters cut by the splits",
    "{n_cut} of {n_clusters} clusters have instances in both training and test parts. So the "
    "error is too small for new clusters, and the {block} means depend on each other.",
    'Keep clusters whole: "source_k_fold" with the cluster column as the source, or '
    '"whole_clusters": true for a holdout.',
)
SOURCES_CROSS_BLOCKS = _serious(
    "sources_cross_blocks",
    "Splits cut what belongs together",
    "The scheme cuts {n_cut} of the {n_sources} sources of column {column!r}, so that models are "
    "tested on sources that they were trained on. The error is about more rows of these sources, "
    "and not about a new one.",
    'For a new source use the scheme "leave_one_source_out" or "source_k_fold"; else name no '
    "source.",
)
CONSTANT_LOSSES = _serious(
    "constant_losses",
    "Constant values",
    "All {values} of {model} are {constant}. They do not show how certain their mean is.",
    "Check that the {values} are the intended ones.",
)
FEWEST_FOR_A_TAIL: Final = 20
"""Fewest losses of which ``heavy_tailed_losses`` is said: the skewness of the mean of fewer is
noise. It reaches the threshold in .29 of samples of 5 normal losses, .10 of 10, .03 of 15 and .009
of 20, and in .028 of 20 from the beta distribution with 2 and 5 (edges/skewed_losses)."""
HEAVY_TAILED_LOSSES = _warning(
    "heavy_tailed_losses",
    "A few values much larger than others",
    "A few {values} of {model!r} are much larger than the others: the mean of {n} instances has "
    "a skewness of {skewness}, and one instance {share} of the variance. With such {values} "
    "symmetric intervals of 95 % covered in 0.61 to 0.91, and skewness-corrected ones in 0.82 to "
    "0.95.",
    "Look at the largest {values}, and measure on more instances. If single ones matter less to "
    'you, use a bounded {value} or, by name, "median_of_means", catoni or "trimmed_mean".',
    threshold=0.3,
    reason="thetahat_replications.presets.interval_coverage.heavy_tails: over 16 distributions "
    "with 17 to 1000 losses the t interval covers in 0.61 to 0.91 where the median of this number "
    "is 0.3 or more, and in 0.91 to 0.96 where it is below 0.28. The area under the ROC curve of "
    "finding the samples of designs with a coverage below 0.9 is 0.92 for it, 0.88 for the "
    "largest share of the variance and 0.76 for Hill's tail index, which both flag symmetric "
    "losses too, for which the t interval covers.",
)
TRIMMED_LOSSES = _warning(
    "trimmed_losses",
    "A trimmed mean",
    "The interval is about the mean of the middle {values}, {estimate}, without the {n} smallest "
    "and the {n} largest, and not about the expected {value}; the mean of all {values} is {mean}.",
    "Use it only if single large {values} do not matter to you. It does not replace an interval "
    "for the expected {value}.",
)
VARIANCE_WITHOUT_BOUND = _warning(
    "variance_without_bound",
    "No bound of the variance",
    "The request has no bound of the variance for the interval catoni, so the sample variance "
    "{variance} is used. The interval covers too rarely if the sample variance is too small, as "
    "it often is with heavy-tailed {values}.",
    'Send "variance_bound", a number that the variance of the {value} cannot exceed.',
)
FEWEST_NEIGHBOURS: Final = 10
"""Fewest rows of which ``neighbours_alike`` is said."""
NEIGHBOURS_ALIKE = _warning(
    "neighbours_alike",
    "Neighbouring rows alike",
    "The correlation of {subject} with that of the next row is {correlation}. If the rows are in "
    "the order of time, or neighbours belong together, intervals are too short by a factor of at "
    "least about {factor}; of a table that was sorted by its {values} or labels they are not.",
    'Send the order of time as "time", or what neighbours share, such as the document, as '
    '"cluster". Send rows of a sorted table in random order.',
    threshold=1.1,
    reason="An interval that is too short by a factor of 1.1 covers in 0.925 instead of 0.95. The "
    "factor must also be significant: its test rejects in at most 2 % of results with independent "
    "rows, from 10 rows on and also for rare 0/1 losses (edges/neighbouring_rows).",
)
NEIGHBOURS_ALIKE_WITHIN = _warning(
    "neighbours_alike_within",
    "Neighbours alike in each part",
    "The correlation of {subject} with that of the next row of the same {block} is "
    "{correlation}. If the rows are in the order of time, or neighbours belong together, "
    "intervals within a {block} are too short by a factor of at least about {factor}; of a table "
    "that was sorted by its {values} or labels they are not.",
    'Send what neighbours share, such as the document or the day, as "cluster". Send rows of a '
    "sorted table in random order.",
    threshold=NEIGHBOURS_ALIKE.threshold,
    reason=NEIGHBOURS_ALIKE.reason,
)
IGNORES_TIME = _serious(
    "ignores_time",
    "Order of time ignored",
    "The rows are in the order of time, and {method} takes them as independent. It is too small if "
    "the {values} of neighbouring times are alike.",
    'Use "newey_west" or "newey_west_small_sample".',
)
UNEVEN_TIMES = _warning(
    "uneven_times",
    "Times far apart",
    "Only the order of the times is used, and {after} follows {before}, {steps} usual steps later. "
    "Rows on both sides count as neighbours.",
    "Send the times between, or evaluate both parts on their own.",
    threshold=6,
    reason="working days are up to 5 days apart in an ordinary year (Easter), so daily data "
    "without weekends stay below it",
)
DEPENDENT_TIMES = _serious(
    "dependent_times",
    "Strongly dependent times",
    "The {values} of a time and of the next have a correlation of {correlation}, over {n} times. "
    "In studied series like that t intervals of 95 % on {method} covered in about {coverage}, "
    "and tests reject too often.",
    "Test over a longer time, or send the sum of a longer period, such as a week, as one row. The "
    'variance "newey_west_small_sample" covers more often than the others.',
    threshold=0.91,
    reason="Below a coverage of 0.91 an error of 5 % has nearly doubled; the coverages are those "
    "of the table order_of_time of docs/results/edges.",
)
BARTLETT_WEIGHTS = _warning(
    "bartlett_weights",
    "Weights of Bartlett used",
    "The variance with equal weights of all {lags} lags is not positive, so the weights of "
    "Bartlett are used, which fall with the lag. The horizon stays {horizon}.",
)
FEW_TIMES_FOR_HORIZON = _warning(
    "few_times_for_horizon",
    "Few times for the horizon",
    "There are {n} times for forecasts over {horizon}. With fewer than {threshold} times for each "
    "step of the horizon the test of Diebold and Mariano rejects too often.",
    "Gather more times, or demand a smaller p-value.",
    threshold=12,
    reason="Equally good forecasts over 2 times were called different at level 5 % in .088 of "
    "samples of 10 times and in .067 of 20; over 3 in .138 of 10, .091 of 20 and .077 of 30; over "
    "5 in .109 of 30 and .066 of 100; over 1 in .049 of 10 (20 000 samples each, with the "
    "small-sample correction).",
)
ORDER_OF_TIME = _warning(
    "order_of_time",
    "Training parts grow in time",
    "Rows near each other in time depend on each other. Of the intervals for the expected error "
    "none allows for that: the corrected resampled variance is a rule of thumb. Tests by instance "
    "take the rows as independent.",
    'Set "target" to "these_models": the variance "newey_west_small_sample" and, for two models, '
    'the test "diebold_mariano" allow for it, from ten times on and without clusters.',
)
FOLDS_IN_ROW_ORDER = _warning(
    "folds_in_row_order",
    "Folds in the order of rows",
    "{name} does not shuffle, so each fold is a run of rows in the order of the data. The "
    "intervals are for folds that are drawn at random; if the order of the rows means something, "
    "such as a time or a place, they are wrong.",
    "Use shuffle=True, or groups if neighbouring rows belong together.",
)
TRAINED_ON_RESAMPLES = _warning(
    "trained_on_resamples",
    "Trained on resamples",
    "Each model was trained on about 0.632 n different rows, so the error is that of a smaller "
    "sample. The corrected resampled variance, which was made for draws without replacement, is "
    "a rule of thumb here.",
    'Use "bootstrap_632" or k-fold cross-validation for the error at full sample size.',
)

# The evaluation as a whole.

RANGE_UNKNOWN = _warning(
    "range_unknown",
    "Range not known",
    "The intervals were not clipped, because the range of the {values} is not known.",
    'Send "range": [low, high].',
)
MANY_PAIRS = _info(
    "many_pairs",
    "Many pairs",
    "{n_pairs} pairs are compared, and the correction allows for all of them.",
    "Name a control to compare each other model with it alone.",
    threshold=1000,
    reason="more than 45 models; a reader looks at groups of tied models, not at single pairs",
)
CORRECTION_CAN_BE_LIBERAL = _warning(
    "correction_can_be_liberal",
    "A correction that can be liberal",
    "The correction {correction} bounds the chance of a false finding only if all models are "
    "equal. If some differ, it reports differences between equal models more often than alpha.",
    "Use holm or shaffer.",
)
OUTSIDE_THE_RULE = _warning(
    "outside_the_rule",
    "No recommended interval",
    "None of the intervals that are usually recommended for {target} could be built. "
    "This one is shown instead; how well it covers was not studied.",
)
EQUAL_BUT_FOR_ROUNDING = _info(
    "equal_but_for_rounding",
    "Equal but for rounding",
    "All differences are equal up to rounding and are treated as equal.",
)
EQUAL_MEANS = _serious(
    "equal_means",
    "Equal means",
    "The mean {value} of {model} is {constant} for each of the {n} {units}. Without spread between "
    "{units} there is no interval that rests on them{consequence}.",
    "Check that the {values} are the intended ones.",
)
IDENTICAL_LOSSES = _warning(
    "identical_losses",
    "Two models alike",
    "{a} and {b} have {same}.",
    "Check that they are different models.",
)
TESTS_DISAGREE_WITH_VERDICT = _info(
    "tests_disagree_with_verdict",
    "Other tests disagree",
    "The verdict takes the p-value of {test}. Those of {tests} are on the other side of {alpha}.",
    "Exact tests are more careful where few instances differ, and t tests are less. Decide for one "
    "before you see the data.",
)
SKEWED_DIFFERENCES = _serious(
    "skewed_differences",
    "Few large differences decide",
    "That {model!r} is better than {other!r} rests on Student's t (p = {p_value}). The "
    "differences are skewed by a few large ones; with that allowed for by Hall's transformation, "
    "p = {p_value_skewed}. Of equally good models with skewed differences t called one better in "
    "0.06 to 0.48 of simulated test sets of 20 and 50 instances, and in 0.04 to 0.12 of those of "
    "200, where 0.025 is meant.",
    "Measure on more instances, and look at those with the largest differences.",
)
CONTROL_LEFT_OUT = _warning(
    "control_left_out",
    "Control left out",
    "The control {control!r} is left out, so every pair of the other models is compared.",
)

# Variances.

NEGATIVE_VARIANCE = _warning(
    "negative_variance",
    "Negative variance",
    "{subject} came out negative: {variance}. It is reported unchanged, and no interval or test is "
    "built on it.",
)
ZERO_VARIANCE = _serious(
    "zero_variance",
    "Variance of 0",
    "The variance is 0 because {reason}. {consequence}",
    "Check the values: real differences vary.",
)
UNDEFINED_VARIANCE = _warning(
    "undefined_variance",
    "Undefined variance",
    "The variance is undefined: a class or {block} has a single instance, so its spread cannot be "
    "estimated.",
)
VARIANCE_NOT_USABLE = _warning(
    "variance_not_usable",
    "Variance not usable",
    "The variance {variance} of the differences is not positive or not meant for tests, so there "
    "is no statistic and no p-value.",
)
VARIANCE_TOO_LARGE = _warning(
    "too_large",
    "Variance beyond all numbers",
    "The variance exceeds the largest floating-point number, so there is no statistic.",
    "Rescale the values.",
)
VARIANCE_OF_ONE_REPEAT = _warning(
    "variance_of_one_repeat",
    "Variance of one repeat",
    "The variance is the average of {n_repeats} values, one per repeat. It is the variance of the "
    "mean of one repeat; the mean over all repeats varies less.",
)
DEPENDS_ON_THE_MEAN = _warning(
    "depends_on_the_mean",
    "A variance that depends on the mean",
    "Adding a constant to every {value} changes this value: it contains products of mean {values} "
    "(the mean is {mean}), which outweigh the variance. No interval or test is built on it.",
)
SECOND_MOMENT_OF_MEAN = _warning(
    "second_moment_of_mean",
    "A second moment, no variance",
    "This value is the squared mean {value}, {square}, and contains the square of the expected "
    "{value}. It is not a variance, and no interval or test is built on it.",
)
IGNORES_TRAINING_VARIANCE = _warning(
    "ignores_training_variance",
    "Other training data left out",
    "{subject} leaves out what other training data would change, so it is too narrow for the "
    "learning method.",
    "To judge the method, use an interval that allows for that, or train it again.",
)
IGNORES_TRAINING_OVERLAP = _serious(
    "ignores_training_overlap",
    "Overlap of training sets ignored",
    "The test treats the splits as independent, but their training sets overlap, so it rejects "
    "too often.",
    'Use "nadeau_bengio_t".',
)
IGNORES_CLUSTERS = _serious(
    "ignores_clusters",
    "Clusters ignored",
    "The instances come in {n_clusters} {clusters}, and {method} treats instances, or {blocks} "
    "that share {clusters}, as independent. It is too small if instances of one {cluster} resemble "
    "each other.",
    'Use "cluster_robust", "cluster_robust_corrected", "theta_A_clusters" or "theta_B_clusters", '
    "and keep each {cluster} whole in one {block}.",
)
GROUPS_LOOK_LIKE_IDS = _warning(
    "groups_look_like_ids",
    "Groups that look like ids",
    "{alone} of the {n} groups of {column} have a single row. The column looks like an id.",
    "Name a column that puts many rows into each group, or merge its values.",
    threshold=0.5,
    reason="Where more than half of the values occur once, most groups have no interval, and those "
    "of the others are long, since every group counts.",
)
GROUP_COLUMN_NOT_USED = _warning(
    "group_column_not_used",
    "Group column not used",
    "The group column {column} is not named by group_by, so nothing is said of its groups.",
    "Name it in group_by, alone or in an intersection, or leave the column out.",
)
GROUPS_OF_THESE_SOURCES = _info(
    "groups_of_these_sources",
    "Groups of these data alone",
    "The intervals of groups are about these {blocks}, and take the instances of one {block} as "
    "independent.",
    "For new {blocks}, or if instances of one {block} depend on each other, name the {block} of "
    "each row as its cluster.",
)
GROUPS_WITHOUT_TIME = _warning(
    "groups_without_time",
    "Groups without the order of time",
    "The intervals of groups take instances as independent. They leave out that {values} of nearby "
    "times are alike, so they may be too short.",
    "Read the intervals over all instances, which allow for it.",
)
SKEWED_GROUPS = _warning(
    "skewed_groups",
    "Skewed values in small groups",
    "The {values} are skewed, and some groups are small or have few very large {values}. Together "
    "the intervals of all groups cover in 82 to 94 % in place of 95 %.",
    "Test more instances of the small groups.",
)
MANY_SKEWED_GROUPS = _warning(
    "many_skewed_groups",
    "Many skewed groups",
    "With {groups} groups of skewed {values} the test that all groups have the same mean rejects "
    "too often: in 6 to 19 % of the studied samples with equal means, in place of 5 %.",
    "Read the intervals of the groups and the gaps between them.",
    threshold=6,
    reason="With five groups it rejects in .06 to .07, with 12 in .07 to .12, with 30 in .19.",
)
FEW_CLUSTERS = _warning(
    "few_clusters",
    "Few clusters",
    "The variance rests on {n} {clusters}{as_equal}. With fewer than {threshold}, intervals for "
    "rare errors and other skewed {values} cover too rarely.",
    'Test more {clusters}. With 3 to 12 of them "wild_cluster" is another interval for the trained '
    "models.",
    threshold=20,
    reason='cameron2015: "few" begins between 20 and 50 clusters. With four to ten, intervals of '
    "level 95 % for an error rate of 10 % covered in 73 to 94 %, whichever method made them (table "
    "few_clusters of docs/results/edges).",
)
FEW_LABELS = _warning(
    "few_labels",
    "Few labels",
    "The interval rests on {n} {units}. With fewer than {threshold} the weight of the judge is "
    "fitted to few labels, and the interval covers slightly too rarely.",
    "Label more rows.",
    threshold=50,
    reason="With 25 labels, or 40 in each of three strata, such intervals covered in .92 to .95 at "
    "level .95, and with 50 or more in .94 to .96.",
)
LABELS_ALONE = _warning(
    "labels_alone",
    "Too few labels for the judge",
    "{reason}, too few for an interval from labels and grades. The recommended interval is that of "
    "the labels alone.",
    "Label more rows; the plan of the judge says how many a precision needs.",
    threshold=20,
    reason="With ten labels of a rate of .3 intervals from labels and grades covered in .92 at "
    "level .95, and with 25 labels of a rate of .05 in .64.",
)
STRATA_OF_LABELS_ALONE = _serious(
    "strata_of_labels_alone",
    "Too few labels in strata",
    "{reason}, too few for an interval from labels and grades. The interval is a t interval of the "
    "labels by their strata, which covers too rarely with so few.",
    "Label more rows in each stratum.",
)
LABELS_NOT_PROPORTIONAL = _warning(
    "labels_not_proportional",
    "Labels not proportional to strata",
    "Strata differ in the share of rows with labels. The prediction-powered variances, and what "
    "rests on them, weigh strata by all rows; other numbers are about the labelled rows, in "
    "which some strata have too large a part.",
    "Read the recommended intervals and the verdicts; they weigh the strata.",
    threshold=0.1,
    reason="Shares that differ by less than a tenth shift a mean by less than a tenth of the "
    "differences between the strata.",
)
LABELS_CHOSEN = _serious(
    "labels_chosen",
    "Labelled rows chosen by people",
    "The labelled rows were chosen by people, so they need not be like the others, and no interval "
    "is about all rows. The judge is left out, and all numbers are about the labelled rows.",
    "Label rows that are drawn at random, or at random in each stratum with the field stratum.",
)
ALL_ROWS_LABELLED = _warning(
    "all_rows_labelled",
    "Every row labelled",
    "Every row has a label, so the grades of the judge add nothing and the labels alone answer.",
    "Send further rows that only the judge graded, or leave judge out.",
)
JUDGE_DISAGREES = _serious(
    "judge_disagrees",
    "Judge against the labels",
    "Grades and labels of {subject} are negatively related, so the judge has no weight in the "
    "estimate.",
    "Look at rows on which judge and people differ, and whether the grades are the right way "
    "round.",
    threshold=2,
    reason="Correlations of unrelated grades are further below 0 than two standard errors, 2 / "
    "sqrt(n), in one of 40 samples.",
)
JUDGE_HAS_NO_SPREAD = _warning(
    "judge_has_no_spread",
    "Grades of the judge all equal",
    "The grades of {subject} are all equal, so the judge has no weight in the estimate.",
    "Use a judge that tells rows apart.",
)
OTHERS_USE_LABELS_ALONE = _info(
    "others_use_labels_alone",
    "Judge used by some variances alone",
    "Grades of the judge are used by the variances {names} and what rests on them. Means, other "
    "variances, intervals and tests are about the labelled rows alone.",
)
FEW_DISAGREEMENTS = _warning(
    "few_disagreements",
    "Few disagreements",
    "{a} and {b} gave different ratings to {items}. With fewer than {threshold}, intervals of "
    "kappa and its like cover too rarely, and without any there is none.",
    "Read the interval of the observed agreement, or rate more items.",
    threshold=5,
    reason="Of 40 items with errors in 2 % of ratings, a fifth of samples had no disagreement and "
    "so no interval (table agreement of docs/results/edges).",
)
FEW_RARE_RATINGS = _warning(
    "few_rare_ratings",
    "Few rare ratings",
    "{a} or {b} gave another rating than the commonest one to {items} only. With fewer than "
    "{threshold}, kappa rests on these few, and its interval may cover too rarely.",
    "Rate more items of the rare categories.",
    threshold=20,
    reason="With 5 items of the rare category among 100, the half width of kappa was .3 or more. "
    "Where 16 of 50 items have another rating (shares .8 and .2, kappa .2) its interval of level "
    ".95 covered in .914, with quadratic weights and 12 of 20 items (shares .6, .3 and .1) in .88; "
    "with 30 of 50 in .92 to .95, each in 1000 samples.",
)
AGREEMENT_OF_COMMON_CATEGORY = _warning(
    "agreement_of_common_category",
    "Agreement on the common category",
    "{a} and {b} agree on {observed} of the items, but kappa is {kappa}: most of the agreement is "
    "on the commonest category, where it would be found by chance, too.",
    "Read sensitivity and specificity, or the agreement on each category.",
    threshold=0.8,
    reason="Agreement of four in five with a kappa below half of that is seen only where one "
    "category prevails.",
)
FEW_CLUSTERS_OF_ITEMS = _warning(
    "few_clusters_of_items",
    "Few clusters of items",
    "The intervals rest on {n} clusters of items. With fewer than {threshold} they cover too "
    "rarely.",
    "Rate items of more clusters.",
    threshold=20,
    reason='cameron2015: "few" begins between 20 and 50 clusters.',
)
ITEMS_WITHOUT_TWO_RATINGS = _info(
    "items_without_two_ratings",
    "Items without two ratings",
    "{n} of {n_items} items have fewer than two ratings. They say nothing about agreement, and "
    "count for how common each category is in Fleiss' kappa and AC1 alone.",
)
ONE_SOURCE_DOMINATES = _warning(
    "one_source_dominates",
    "One has most of the variance",
    "The {block} {label} has {share} of the variance of the mean over {blocks}, from {n} {units}. "
    "The interval rests on this {block}, and for skewed {values} it covers too rarely.",
    "Test more instances of this {block}.",
    threshold=0.8,
    reason="With two sources of 3 and 500 chi-squared losses, where the smaller one has 93 % of "
    "the variance on average, intervals of level 95 % covered in 80 %; with 20 and 500 in 90 %. "
    "Where no source has 80 %, several share the risk: 5, 5, 5 and three times 1000 covered in 89 "
    "% (table sources_of_unequal_size of docs/results/edges).",
)
SOURCES_WITHOUT_SPREAD = _warning(
    "sources_without_spread",
    "Values without spread",
    "In {n} of {of} {blocks} the {values} do not vary, as in {label} with {smallest} {units}, so "
    "their means count as exact. With the spread of the others they would have {share} of the "
    "variance, which is therefore too small.",
    "Test more instances of these {blocks}.",
    threshold=0.5,
    reason="With 3 and 500 losses of 0 and 1 (error rate 10 %) the smaller source has no spread in "
    "three of four samples, and intervals of level 95 % covered in 27 %. Where the share stays "
    "below a half, as with ten sources of 10, they covered in 94 % (table sources_of_unequal_size "
    "of docs/results/edges).",
)
LIBERAL_IF_BLOCKS_COVARY = _warning(
    "liberal_if_blocks_covary",
    "Shared training data",
    "Models tested on different {blocks} share training data. If that makes their {values} vary "
    "together (gamma > 0), which a single data set cannot show, {subject} is too small.",
)
PESSIMISTIC_FOR_THESE_SOURCES = _info(
    "pessimistic_for_these_sources",
    "Meant for new ones",
    "The variance is for a new {block}. For these very {blocks} it is too large, because it counts "
    "the differences between them as chance.",
)
COUNTS_SOURCE_DIFFERENCES_AGAINST = _warning(
    "counts_source_differences_against",
    "Differences subtracted",
    "The estimate subtracts {subtracted}, (K-1)/K times the variance of the {block} means, from "
    "{within}, the average sampling variance of one {block} mean. If the {blocks} differ, it comes "
    "out too small or negative.",
)
NOISY = _warning(
    "noisy",
    "A noisy estimate",
    "The estimate is a difference of two numbers of similar size, {first} and {second}. It varies "
    "strongly from one data set to the next and is often negative.",
    'Use "nadeau_bengio".',
)
LARGE_TEST_PARTS = _warning(
    "large_test_parts",
    "Large test parts",
    "Each fold tests on {share} of the data. In the largest published comparison such intervals "
    "reached 95 % with 10 % test parts and fell short from 20 % on.",
    "Use ten folds.",
    threshold=0.15,
    reason="schulz2024: intervals cover well with a test share of 0.1 and too rarely with 0.2; "
    "the threshold lies between the two that were studied",
)
FOLDS_DIFFER = _info(
    "folds_differ",
    "Folds differ",
    "The mean {values} of the {blocks} differ by more than the {values} within them explain (F "
    "test, p = {p}). Intervals for the expected {value} therefore rest on the spread between "
    "{blocks} and are longer.",
    "Check whether the {blocks} follow groups or the order of the data; if not, repeat the "
    "partition.",
    threshold=0.001,
    reason="One partition in a thousand whose folds differ by chance alone gets the longer "
    "interval. With .01 intervals would be 1.5 % longer on average and cover no more often "
    "(one_partition/halved_judging).",
)
LONGER_FOR_HEAVY_TAILS = _info(
    "longer_for_heavy_tails",
    "Longer because of large values",
    "A few {values} are much larger than the others, so intervals for the expected {value} allow "
    "for training with as much again as the single {values} vary, in place of about half. They are "
    "longer, and may cover too rarely all the same.",
)
HALF_OF_THE_DATA = _warning(
    "half_of_the_data",
    "Trained on half of the data",
    "Every model is trained on half of the data. The number is about the error at that training "
    "size, which for most learners is larger than the error with all data.",
)
UNEQUAL_HALVES = _warning(
    "unequal_halves",
    "Unequal halves",
    "The two folds of a repeat differ in size by more than 1.",
)
ORDER_DEPENDENT = _warning(
    "order_dependent",
    "Dependent on the order of folds",
    "The estimate is the mean of the first fold of the first repeat. The same {values} with their "
    "folds or repeats in another order give another estimate.",
)
STANDARD_ERROR_AT_ITS_BOUND = _warning(
    "standard_error_at_its_bound",
    "Standard error set to its bound",
    "The standard error came out as {error} and was set to its {side} bound, {bound}.",
    "Use more repeats.",
)
STANDARD_ERROR_OF_INSTANCES = _info(
    "standard_error_of_instances",
    "Standard error of the instances",
    "The standard error is that of the average over instances. The average over splits differs "
    "from it by the variation due to resampling.",
)

# Methods that fit learners again.

FEW_REPEATS = _warning(
    "few_repeats",
    "Few repeats",
    "The standard error rests on {n} repeats. With fewer than {threshold} it is itself uncertain, "
    "and the interval covers less often than it says.",
    "Use more repeats.",
    threshold=10,
    reason="schulz2024: from 10 outer repeats on the interval covers in that comparison",
)
FEW_HALVINGS = _warning(
    "few_halvings",
    "Few halvings",
    "The variance rests on {n} random halvings of the data. With fewer than {threshold} it is "
    "itself uncertain, and its intervals cover less often than they say.",
    "Use more halvings.",
    threshold=10,
    reason="schulz2024: from 10 halvings on the intervals cover in that comparison",
)
FEW_RESAMPLES = _warning(
    "few_resamples",
    "Few resamples",
    "{subject} rests on {n} {what}. With fewer than {least} it varies noticeably with the seed.",
    "Ask for more resamples.",
)
FEW_REPLICATES_BEYOND_AN_END: Final = 10
"""Replicates beyond an end of a bootstrap interval, below which the end is mostly chance."""
FEW_REPLICATES_OF_A_REFIT: Final = 100
"""Replicates of a percentile interval; of fewer, its 2.5 % points rest on two or three."""
FEW_OUT_OF_BAG_RESAMPLES: Final = 500
"""Resamples of an out-of-bag standard error; from 500 on it is steady (schulz2024)."""
NEVER_OUT_OF_BAG = _warning(
    "never_out_of_bag",
    "Instances in every resample",
    "{n_never} of {n} instances are in every resample, so their error is not estimated.",
    "Use more resamples.",
)
RARE_CLASS_DRAWN_AGAIN = _warning(
    "rare_class_drawn_again",
    "Resamples without a rare class",
    "{n} bootstrap resamples had too few rows of a rare class to fit and were drawn again, beside "
    "the {n_used} that were used. Models without that class are therefore left out of the "
    "estimate, which tends to be smaller.",
    "Use a stratified scheme, or collect more rows of the rare class.",
)
OUT_OF_BAG_ABOVE_NO_INFORMATION = _warning(
    "out_of_bag_above_no_information",
    "Worse than no information",
    "The out-of-bag error, {out_of_bag}, is larger than the error of a model without any "
    "information, {no_information}, which is used instead.",
)
PUBLISHED_COVERAGE_IS_LOW = _serious(
    "published_coverage_is_low",
    "Low coverage in a published study",
    "In the largest published comparison (schulz2024) intervals of this kind covered the true "
    "error in about half of the cases, where 95 % were meant, and in the preset "
    '"interval_coverage" in two thirds.',
    "Do not base a decision on it; it is given for comparison.",
)
COVERAGE_DISAGREES = _warning(
    "coverage_disagrees",
    "Studies disagree on the coverage",
    "The largest published comparison (schulz2024) found that such an interval of 95 % covers in "
    "about half of the cases. As it is built here, without copies of a tested instance in the "
    'training part, it covered in 96 % (preset "interval_coverage", 50 rows).',
    "Prefer a recommended interval until more is known.",
)
NO_INTERVAL = _warning(
    "no_interval",
    "No interval",
    "There is no interval of {subject} by {method}, because the losses or differences do not vary.",
)

# Intervals.

INTERVAL_CLIPPED_TO_RANGE = _info(
    "interval_clipped_to_range",
    "Interval cut at the range",
    "The interval was clipped to {range}, the range of the {quantity}; it was {lower} to {upper}. "
    "So near the end of the range its approximation is poor.",
)
INTERVAL_BEYOND_RANGE = _warning(
    "interval_beyond_range",
    "Interval beyond the range",
    "The interval goes {beyond}, which the {quantity} cannot. The approximation behind it is poor "
    "here.",
    'Read it as ending at that limit, or leave out "clip": false. For a metric, a logit interval '
    "stays within the range.",
)
NORMAL_WITH_FEW_DEGREES_OF_FREEDOM = _warning(
    "normal_with_few_degrees_of_freedom",
    "Normal quantile, few degrees of freedom",
    "The variance has {degrees_of_freedom} degrees of freedom, which a normal quantile ignores, so "
    "the interval is too short.",
    'Use "student_t".',
    threshold=30,
    reason="from 30 degrees of freedom on the 95 % quantiles of t and normal differ by less than "
    "4.5 %",
)
PREDICTION_OF_ONE_SOURCE = _info(
    "prediction_of_one_source",
    "About a single new one",
    "The interval is for the average {value} observed on one new {block} with about as many test "
    "instances, not for one instance or the mean over all new {blocks}. It is wider than the new "
    "{block}'s true mean error needs.",
)

# The bootstrap.

ACCELERATION_OF_A_QUANTILE = _warning(
    "acceleration_of_a_quantile",
    "Acceleration of a quantile",
    "The acceleration comes from the jackknife, which for a quantile depends on two or three "
    "values only.",
    "Use the percentile interval.",
)
ACCELERATION_TOO_LARGE = _warning(
    "acceleration_too_large",
    "Acceleration too large",
    "The acceleration {acceleration} is too large for this level: the BCa formula is not defined.",
    "Use the percentile interval.",
)
JACKKNIFE_UNDEFINED = _warning(
    "jackknife_undefined",
    "Jackknife undefined",
    "Without some row the statistic is undefined, so its jackknife is undefined.",
    "Use the percentile interval.",
)
REPLICATES_ON_ONE_SIDE = _warning(
    "replicates_on_one_side",
    "Replicates on one side",
    "All replicates lie on one side of the estimate, so the bias correction is infinite.",
)
RESAMPLES_WITHOUT_SPREAD = _warning(
    "resamples_without_spread",
    "Resamples without spread",
    "Too many resamples have no standard error or one of 0, so one end of the interval is "
    "infinite and is left open.",
)
FEW_UNITS = _warning(
    "few_units",
    "Few units",
    "{subject} rests on {n} {units}: {consequence}.",
    threshold=20,
    reason="units of a bootstrap: its variance of a mean of n units is too small by 1/n, 5 % at 20",
)
FEW_UNITS_OF_A_SIGN_TEST: Final = 5
"""Pairs of a sign, rank or permutation test: with 5 the smallest two-sided p-value is 2 / 2^5,
which is above 0.05."""
FEW_UNITS_OF_A_PRIOR: Final = 5
"""Units of a Bayesian test; with fewer the prior is more than a tenth of the posterior's weight."""
FEW_ROWS_OF_A_RANK_TEST: Final = 10
"""Rows of a test of many models; with fewer chi squared and F are poor approximations."""
SMALL_BLOCKS = _warning(
    "small_blocks",
    "Few rows to resample",
    "Instances are resampled within {blocks}, the smallest of which has {smallest}. The replicates "
    "vary less than the mean, by about {percent} % of the variance.",
    threshold=10,
    reason="resampling n instances loses 1/n of the variance: 10 % at 10 instances",
)
UNDEFINED_RESAMPLES = _warning(
    "undefined_resamples",
    "Resamples without a value",
    "{n_undefined} of {n} resamples have no value and are left out.",
)
INTERVALS_ONE_BY_ONE = _info(
    "intervals_one_by_one",
    "Intervals one by one",
    "Each of the {n} components has intervals of its own. That all of them cover at once is less "
    "probable than the level.",
    "For a statement about all components together, divide 1 - level by their number.",
)
RESAMPLES_DRAWN_AGAIN = _info(
    "resamples_drawn_again",
    "Resamples drawn again",
    "{n} resamples had no value ({reason}) and were drawn again.",
)
NO_SPREAD = _serious(
    "no_spread",
    "No spread",
    "Every resample gives the estimate itself, so the variance is 0 and no interval is built.",
)
ONE_REPLICATE = _warning(
    "one_replicate",
    "A single replicate",
    "A single replicate has no variance.",
    "Give more resamples.",
)
ONE_VALUE = _serious(
    "one_value",
    "A single value",
    "The sample has a single value, so every resample is that value.",
)
EXTREME_QUANTILE = _warning(
    "extreme_quantile",
    "A quantile far out",
    "About {n_beyond} of {n} values lie beyond the quantile. With fewer than {threshold} the "
    "bootstrap says little about it.",
    threshold=5,
    reason="the replicates of a quantile with fewer than 5 values beyond it take only a handful "
    "of values",
)

# Tests.

NO_DIFFERENCE = _info(
    "no_difference",
    "No difference",
    "No {unit} shows a difference between the models, so the p-value is 1.",
)
NO_DIRECTION = _warning(
    "no_direction",
    "No one-sided p-value",
    "An F test has no one-sided p-value.",
    'Ask for "alternative": "two_sided".',
)
INFINITE_STATISTIC = _warning(
    "infinite_statistic",
    "The same difference everywhere",
    "Two models differ by the same amount on every {unit}, so the difference has no standard "
    "error. Its p-value is the probability that all signs agree by chance.",
    "Check the values: real differences vary.",
)
INSTANCES_SHARE_A_SOURCE = _warning(
    "instances_share_a_source",
    "Instances that belong together",
    "The test treats each {unit} as independent, but {units} of one {block} resemble each other. "
    "It says nothing about new {blocks}.",
    'Use "paired_unit": "block".',
)
ROWS_AGREE = _info(
    "rows_agree",
    "All rows agree",
    "All {n} {units} rank the models in the same order, so the F statistic is infinite. The "
    "p-value is the probability of that if every order is equally likely.",
)
LIBERAL_POST_HOC = _serious(
    "liberal_post_hoc",
    "A liberal comparison of pairs",
    "The standard error of the pairs is the one for ranks within rows. For aligned ranks it is too "
    "small by about the square root of the number of models, so far too many pairs differ.",
    "Use nemenyi or pairwise tests with a correction.",
)
SMALLEST_P_VALUE = _info(
    "smallest_p_value",
    "Smallest possible p-value",
    "No resample is as extreme as the data, so the p-value is the smallest that {n_resamples} "
    "resamples can give.",
    "Ask for more resamples to distinguish smaller p-values.",
)
DIFFERENCE_IN_METRIC_UNITS = _info(
    "difference_in_metric_units",
    "Higher is better",
    "Higher values are better: a difference above 0 means that the first model is better{more}.",
)

# Metrics.

FEW_OF_A_CLASS = _warning(
    "few_of_a_class",
    "Few instances of a class",
    "A class has {n} instances. With fewer than {threshold} the variance is uncertain, and normal "
    "intervals are too short: with 5 to 9 they covered areas under the ROC curve in 0.64 to 0.94 "
    "of the samples at level 0.95, and the recommended interval in 0.94 and more.",
    threshold=10,
    reason="the usual rule for a normal approximation of a proportion needs 10 successes and 10 "
    "failures",
)
FEW_RANKED = _warning(
    "few_ranked",
    "Few instances are ranked",
    "The average precision rests on {n} instances of its class. With 10 to 15 its recommended "
    "interval covered in 0.84 to 0.90 of the samples at level 0.95 where scores have long tails, "
    "and from {threshold} on in 0.93.",
    "Test more instances of that class.",
    threshold=20,
    reason="t(2) scores, 200 instances, a true value of .675: .840 with 10 of the class, .888 with "
    "12, .902 with 15 and .930 with 20 (500 samples each)",
)
FEW_AGREEING = _warning(
    "few_agreeing",
    "Few instances of the rarer class",
    "The agreement rests on {n} instances of the rarer class. With 1 to 4 its recommended interval "
    "covered in 0.87 and more of the samples at level 0.95, and from {threshold} on in 0.93.",
    "Test more instances of that class.",
    threshold=5,
    reason="180 designs with 1 to 4 of the class and 20 to 400 rows: the worst was covered in .871 "
    "(4000 samples); 406 with 5 to 60: in .932",
)
METRIC_PARTS_NOT_KEPT = _warning(
    "metric_parts_not_kept",
    "Parts of metrics are missing",
    "Of the parts that were asked for later ({parts}) those of the losses are here. Those of "
    "metrics need predictions, which are not kept.",
    'Send the request again with these names in "include".',
)
METRIC_WITHOUT_INTERVAL = _serious(
    "metric_without_interval",
    "Metric without an interval",
    "There is no interval of the {metric} for {target}: {reason}. How far the truth is from the "
    "estimate is not known.",
    "Do not read the estimate as certain. Measure on more instances.",
)
TIES_COUNTED_AS_WRONG = _info(
    "ties_counted_as_wrong",
    "Ties counted as wrong",
    "Some scores are tied. The published variance counts ties as wrong and is {strict}; counting "
    "them as half, as the area does, gives {half}.",
    'Set "fold_ties" to half.',
    threshold=1.05,
    reason="ratio of the two standard errors from which an interval changes visibly",
)
UNDEFINED_BLOCKS = _warning(
    "undefined_blocks",
    "Metric undefined in places",
    "The metric is undefined for {where}, because {reason}. The macro mean is over the others.",
)
POOLED_ACROSS_MODELS = _warning(
    "pooled_across_models",
    "Scores pooled across models",
    "The pooled value compares scores of different fitted models with each other, which is right "
    "only if their scales agree. The macro value does not.",
    "Prefer the macro value.",
)

# Importance weights and weighted risks.

MEAN_WEIGHT_NOT_ONE = _serious(
    "mean_weight_not_one",
    "Mean weight far from 1",
    "The mean weight is {mean}. A density ratio has mean 1 over the source sample, so the ratio is "
    "badly estimated or the source sample misses a part of the target.",
    threshold=0.2,
    reason="the mean of n correct weights is off by sd / sqrt(n); 0.2 is beyond that for the "
    "studied settings",
)
FEW_EFFECTIVE_INSTANCES = _warning(
    "few_effective_instances",
    "Few effective instances",
    "The weights leave an effective sample size of {effective} out of {n} rows: weighted means are "
    "as uncertain as means of so few rows.",
    threshold=0.1,
    reason="share of the rows; below a tenth a standard error is at least 3 times that of equal "
    "weights",
)
ONE_WEIGHT_DOMINATES = _serious(
    "one_weight_dominates",
    "One weight dominates",
    "Source row {row} alone has {share} of the sum of the weights.",
    "Look at this row; truncated weights limit its influence.",
    threshold=0.2,
    reason="one row then decides a fifth of every weighted mean",
)
LARGE_WEIGHTS = _warning(
    "large_weights",
    "Large weights",
    "{n_large} of {n} weights are larger than {threshold}; the largest is {largest}. The "
    "controlled risk is less affected by them than the weighted risk.",
    "Prefer the controlled risk.",
    threshold=10,
    reason="one such row counts as much as ten rows of average weight",
)
TARGET_NOT_COVERED = _serious(
    "target_not_covered",
    "Target rows far from all others",
    "{share} of the target rows are farther from every source row than nearly all source rows are "
    "from each other. No weights can tell what holds there.",
    threshold=0.8,
    reason="share of target rows with a source row nearby; at 0.8 a fifth of the target risk is "
    "extrapolated",
)
COVERAGE_OF_A_SAMPLE = _info(
    "coverage_of_a_sample",
    "Coverage of a sample of rows",
    "The share of covered target rows is estimated from {n} rows drawn at random.",
)
DEPENDENT_COLUMNS = _warning(
    "dependent_columns",
    "Dependent columns",
    "{columns} constant or a linear function of the other columns in both samples. The densities "
    "are those of the remaining columns.",
)
INFINITE_WEIGHT_VARIANCE = _serious(
    "infinite_weight_variance",
    "Infinite variance of the weights",
    "In some direction the target's variance is at least twice the source's. Under the two fitted "
    "normal distributions the variance of the weights is infinite, and the sample variance shown "
    "underestimates it.",
    "Use truncated weights or a source sample with a wider spread.",
)
COEFFICIENTS_CUT = _warning(
    "coefficients_cut",
    "Negative coefficients set to 0",
    "Negative coefficients were set to 0 after the fit. They made up {share} of the sum of all "
    "absolute coefficients, and the fit is no longer the least squares fit.",
)
EARLY_STOPPED = _info(
    "early_stopped",
    "Stopped before the maximum",
    "The weights are those of the published procedure, which stops before the maximum of its own "
    "objective.",
    'Use "mode": "optimum" to reach the maximum.',
)
NOT_OPTIMAL = _warning(
    "not_optimal",
    "Optimum not reached",
    "The optimisation stopped early: {details}.",
)
ESTIMATE_OUT_OF_RANGE = _serious(
    "estimate_out_of_range",
    "Risk out of range",
    "The risk estimate is {estimate}, {beyond} the loss can be. With these weights the risk is not "
    "known, and the selection rests on it.",
)
BETA_WITHIN_FOLDS = _warning(
    "beta_within_folds",
    "Beta estimated in small folds",
    "Beta is estimated inside each of {n_folds} folds, the smallest of which has {smallest} "
    "points. Its bias, of the order of 1 over the fold's size, is larger than with all points.",
    'Use "beta_from": "all".',
)
ONE_EFFECTIVE_ROW = _serious(
    "one_effective_row",
    "One effective row",
    "The effective sample size of the weights is {effective}: a single row decides the estimate, "
    "and there is no interval.",
    "Use source data that overlap the target, or truncated weights.",
    threshold=2,
    reason="the spread of a weighted mean cannot be seen in fewer than two rows",
)
CONTROL_FROM_FEW_ROWS = _serious(
    "control_from_few_rows",
    "Control variate from few rows",
    "The effective sample size is {effective}. The coefficient of the control variate is fitted to "
    "so few rows that the variance, which takes it as known, is too small, and the interval covers "
    "too rarely.",
    threshold=100,
    reason="preset interval_coverage: with 50 rows the interval covered in 0.53 to 0.74",
)
SECOND_MOMENT_TOO_UNCERTAIN = _info(
    "second_moment_too_uncertain",
    "Second moment too uncertain",
    "The second moment of the weights is so uncertain that the squares would add more variance "
    "than they remove. The value is that of the controlled risk.",
)
SECOND_MOMENT_UNKNOWN = _info(
    "second_moment_unknown",
    "Second moment unknown",
    "The mean of the squared weights is not known, so only the weights are used as a control "
    "variate. The value is that of the controlled risk.",
)
WEIGHTS_TRUNCATED = _warning(
    "weights_truncated",
    "Truncated weights",
    "{weights} truncated at {cut}, which causes a bias of about {bias}. The interval is around the "
    "biased risk.",
)
ONE_ROW = _warning(
    "one_row",
    "A single row",
    "Source {source} has one row, which gives no variance.",
)
SOURCE_WITHOUT_WEIGHT = _warning(
    "source_without_weight",
    "Rows without weight",
    "All weights of source {source} are 0: its rows say nothing about the target, and there is no "
    "interval.",
)
REPEATS_COUNTED_AS_INSTANCES = _serious(
    "repeats_counted_as_instances",
    "Repeats counted as instances",
    "Rows of several repeats or of overlapping test parts cannot be matched without an instance "
    "column. They are counted as independent, so the variance is too small.",
    "Send the instance of each row.",
)
FOLD_WITHOUT_WEIGHT = _warning(
    "fold_without_weight",
    "A fold without weight",
    "All weights in fold {fold} are 0, so its losses do not enter the weighted risk.",
)
NO_WEIGHT_TO_LEARN_FROM = _serious(
    "no_weight_to_learn_from",
    "No weight to learn from",
    "All weights in the training part of fold {fold} are 0, so the fit predicts 0 everywhere, "
    "whatever the penalty.",
)
WEIGHT_COLUMN_NOT_USED = _warning(
    "weight_column_not_used",
    "Column of weights not used",
    "The source has a column of weights, but the weights were estimated by {name}.",
    'Send "weights": "given" to use the column.',
)

# Intervals and tests, by the studies of their coverage and of their errors.

COVERS_TOO_RARELY = _warning(
    "covers_too_rarely",
    "Covers too rarely",
    "{interval} covers too rarely: in {coverage} of the samples and not in 95 %, in a simulation "
    "of the design nearest to this one: {design}.",
    "Read it as an interval of a lower level. More rows, ten folds, or whole clusters in a fold "
    "help.",
    threshold=0.9,
    reason="missing twice as often as the level says; the share must also be more than two of its "
    "standard errors below",
)

REJECTS_TOO_OFTEN = _warning(
    "rejects_too_often",
    "Rejects too often",
    "The test rejects too often. Of equally good models it called {size} different at a level of "
    "5 %, in a simulation of the design nearest to this one: {design}.",
    'Use the verdict, or a test whose "expected_size" is near 0.05.',
    threshold=0.075,
    reason="half more than the level; a smaller excess changes few decisions. The share must also "
    "be more than two of its standard errors above the level",
)
REJECTS_FAR_TOO_OFTEN = _serious(
    "rejects_far_too_often",
    "Rejects far too often",
    "The test rejects far too often. Of equally good models it called {size} different at a level "
    "of 5 %, in a simulation of the design nearest to this one: {design}.",
    'Do not use its p-value. Use the verdict, or a test whose "expected_size" is near 0.05.',
    threshold=0.15,
    reason="at three times the level a small p-value is more likely chance than evidence",
)

# Selection and learning curves.

INTERNAL_IS_OPTIMISTIC = _warning(
    "internal_is_optimistic", "Internal error is optimistic", "{sentence}"
)
SELECTED_AT_THE_EDGE = _warning(
    "selected_at_the_edge",
    "Smallest risk at the end of the grid",
    "The smallest risk is at {parameter} = {end}, an end of the grid. A wider grid may have a "
    "smaller one.",
    "Widen the grid.",
)
GRID_EDGE = _warning(
    "grid_edge",
    "Choice at the end of its grid",
    "The chosen value of {parameter} of {name!r} is at an end of its grid. Beyond it the internal "
    "error may be smaller.",
    "Widen the grid.",
)
LEAST_OF_MANY = _warning(
    "least_of_many",
    "Smallest of many estimates",
    "The risk at the selected value is the smallest of many estimates and tends to be too small. "
    "Its interval does not allow for the selection.",
)
BEST_OF_EACH_GRID = _warning(
    "best_of_each_grid",
    "Best of each grid alone",
    "{n} candidates are too many to be evaluated side by side. Of each grid only the candidate "
    "with the smallest internal error is among the models, which makes it look better than it is.",
)
CANDIDATE_LEFT_OUT = _serious(
    "candidate_left_out", "Candidate left out", "{failure} The candidate is left out."
)
LEARNER_LEFT_OUT = _serious(
    "learner_left_out", "Learner left out", "{failure} The learner is left out."
)
SIZE_LEFT_OUT = _serious(
    "size_left_out",
    "Size left out",
    "{failure} The learner is left out at size {size}.",
)
CHOICE_AMONG_SOME = _warning(
    "choice_among_some",
    "Candidates still running",
    "The choice is among {n_done} of {n} candidates so far. Still running: {names}; one of them "
    "may be chosen in the end.",
)
CHOICE_DIFFERS = _warning(
    "choice_differs",
    "Choice differs from all splits",
    "{name!r}, which was chosen on all rows, was not chosen in any external split.",
)
CHOICE_VARIES = _info(
    "choice_varies",
    "Choice varies between splits",
    "The external splits chose different candidates ({counts} of {n}). The external error is that "
    "of choosing and learning together, not of one candidate.",
)
TIED = _info(
    "tied",
    "Candidates tied",
    "{names} have the same internal {what}; the first of them in the request was chosen.",
)
TIED_INSIDE = _info(
    "tied_inside",
    "Candidates tied in some splits",
    "In {ties} of {n} external splits several candidates had the same best internal {what}; the "
    "first of them in the request was chosen.",
)
UNDEFINED_SPLITS = _warning(
    "undefined_splits",
    "Splits without a value",
    "The internal {what} is undefined in some splits, which are left out of its mean.",
)
NO_POWER_LAW = _info("no_power_law", "No power law", "No power law was fitted: {reason}.")
NOT_THE_LARGEST_SIZE = _warning(
    "not_the_largest_size",
    "Not the largest size",
    "No learner has finished at size {wanted}, or none ran there. Models and comparisons are those "
    "at size {used}.",
)
STEPS_NOT_CORRECTED = _info(
    "steps_not_corrected",
    "Steps not corrected",
    "Each step between two sizes has its own interval, not corrected for the number of steps. The "
    "saturation is corrected: it goes from the largest size down.",
)

# Learners and data.

LEARNER_WARNING = _warning("learner_warning", "A learner warned", "{sentence}")
NOT_CONVERGED = _warning(
    "not_converged", "Fit not converged", "{sentence}", "Raise the number of iterations."
)
LABELS_ALIKE = _warning(
    "labels_alike",
    "Labels alike",
    "The {what} {first} and {second}{more} differ only in letter case, blanks, the coding of "
    "their characters or the writing of a number, and count as two.",
    "Correct the labels if they mean the same.",
)
LABEL_IS_A_MARK = _warning(
    "label_is_a_mark",
    "A label that marks missing values",
    "The {what} have the label {first}, as missing values are written, and it counts as one of "
    "them.",
    "Empty such cells if their values are missing.",
)
CLASSES_NAMED_OTHERWISE = _serious(
    "classes_named_otherwise",
    "Classes named otherwise",
    "{n} predictions of {model!r} are no class that a row has, such as {predicted}, and {n_true} "
    "rows have a class that it never predicts, such as {true}. If both name the same classes, "
    "right predictions count as errors.",
    "Write the classes in both columns in the same way.",
    threshold=0.1,
    reason="share of the rows, in the predictions and in the true values; a rare class that only "
    "one of both has is below it",
)
SCORES_OF_OTHER_CLASSES = _serious(
    "scores_of_other_classes",
    "Scores of other classes",
    "The scores of {model!r} are taken as those of the classes {order}, but those of {second} "
    "are higher where the class is {first}: they may be in another order or of the other class. "
    "Else the model is worse than chance.",
    "Send scores in the order of the sorted classes, one column alone for the last of two; or "
    "name the order in the field classes.",
    threshold=3.0,
    reason="standard errors by which the scores of the true classes are higher in the other order; "
    "of models of two classes that know nothing, one in 700 is above it",
)
LABELS_ROUNDED = _serious(
    "labels_rounded",
    "Labels rounded",
    "The {what} have the label {first}, as spreadsheets write long ids: their last digits are "
    "lost, and different ids may count as one.",
    "Export the ids as text.",
)
ROWS_COPIED = _warning(
    "rows_copied",
    "Copied rows",
    "{n} of {n_rows} rows have the features and the target of an earlier row; the first is row "
    "{row}, which is equal to row {earlier}. If they are copies, learners are tested on rows "
    "that they were trained on, and losses are too low.",
    'Remove the copies, or send what they share as "cluster".',
    threshold=5,
    reason="As for rows_repeated: fewer rows may be equal by chance, and there must be ten times "
    "as many as among numbers of so many digits that are spread over their range, and a tenth of "
    "all rows.",
)
FEATURE_EQUALS_TARGET = _serious(
    "feature_equals_target",
    "A feature equals the target",
    "Feature {name!r} {relation} the target in all {n} rows that have a value, so that learners "
    "need not learn anything else. It may be a copy of the target, or made from it.",
    "Leave it out of the features, unless it is known before the target.",
    threshold=0.001,
    reason="probability that one of the features agrees with the target by chance, if its values "
    "were in any other order as well; two columns with seven 0 and seven 1 are below it",
)
ROW_NUMBERS = _warning(
    "row_numbers",
    "Row numbers as a feature",
    "Column {name!r} numbers the rows and is used as a feature, because the request names no "
    "features.",
    "Name the features in columns.features.",
)

# Predicted probabilities.

PROBABILITIES_OF_FIRST_REPEAT = _info(
    "probabilities_of_first_repeat",
    "Probabilities of the first repeat",
    "Probabilities are described over the first of {n} repeats, in which each row is tested once.",
)
PROBABILITIES_OF_DEPENDENT_ROWS = _warning(
    "probabilities_of_dependent_rows",
    "Probabilities of dependent rows",
    "What is said about probabilities takes the rows as independent, but {why}. Intervals may be "
    "too short, and p-values too small.",
    "Name the rows that depend on each other as clusters.",
)
CERTAIN_PROBABILITIES = _info(
    "certain_probabilities",
    "Probabilities of 0 or 1",
    "{n} of {n_rows} rows have a probability of 0 or 1, which has no logit: there is no slope. No "
    "row is left out.",
    "Send probabilities before they were rounded.",
)
SURELY_WRONG = _warning(
    "surely_wrong",
    "Certain and wrong",
    "{n} of {n_rows} rows had an outcome of probability 0, so the log loss is infinite.",
    "A model that has to be sure should say 0.001, and not 0.",
)
FEW_EVENTS = _warning(
    "few_events",
    "Few events",
    "{n} rows are of the rarer outcome. With fewer than {threshold} what is said about "
    "probabilities is uncertain: the interval of the mean is that of the share of events, and that "
    "of the slope is wide.",
    "Test more rows.",
    threshold=10,
    reason="table probabilities of docs/results/edges.",
)
FEWER_RESAMPLES = _info(
    "fewer_resamples",
    "Fewer resamples",
    "{n} samples were drawn in place of {default}, because there are many rows.",
    'Set "band_resamples" for another number.',
)
FEW_CLUSTERS_OF_PROBABILITIES = _warning(
    "few_clusters_of_probabilities",
    "Few clusters for probabilities",
    "The rows come from {n} clusters. The variance between fewer than {threshold} is itself "
    "uncertain, and how often intervals about probabilities then cover was not studied.",
    "Test rows of more clusters.",
    threshold=10,
    reason="With 10 clusters of five rows they cover in .95 to 1 (table probabilities of "
    "docs/results/edges).",
)
EMPTY_SETS = _info(
    "empty_sets",
    "Empty prediction sets",
    "Model {model!r} has {n} empty prediction sets of {n_rows}, which count as misses of size 0.",
)

# Studies and calibration.

FEW_REPETITIONS = _warning(
    "few_repetitions",
    "Few repetitions",
    "The study has {n} repetitions. With so few the Monte-Carlo errors are themselves uncertain"
    "{more}.",
    "Ask for more repetitions.",
)
REPETITIONS_FAILED = _warning(
    "repetitions_failed",
    "Failed repetitions",
    "Estimator {estimator!r} failed in {n_failed} of {n} repetitions, which are left out of its "
    "numbers. The first failure: {reason}",
)
THESE_SOURCES_UNKNOWN = _info(
    "these_sources_unknown",
    "Error on these data unknown",
    "Every repetition of {estimators} draws its own sources, so the expected error on these "
    "sources is not known.",
    'Set "draw.same_sources" to keep sources over several repetitions.',
)
GENERATED_POPULATION = _warning(
    "generated_population",
    "Generated data",
    "No data set was sent for the role {role!r}. The data come from {generator}, not from the "
    "source.",
)
DATA_SETS_WITHOUT_WEIGHTS = _warning(
    "data_sets_without_weights",
    "Data sets without weights",
    "The weights by {weights} could not be computed for some data sets, which are left out: "
    "{counts}.",
)
NOT_CALIBRATED = _warning(
    "not_calibrated",
    "Intervals not calibrated",
    "The intervals could not be calibrated: {reason}",
)
NEW_SOURCE_NOT_CALIBRATED = _warning(
    "new_source_not_calibrated",
    "Intervals for new ones not calibrated",
    "The intervals for a new {block} are not calibrated: {reason}",
)

# How often a test set was used.

TEST_SET_USED_OFTEN = _warning(
    "test_set_used_often",
    "Test set used often",
    "This is comparison {n} on this test set. Where what to try next was chosen by what earlier "
    "ones showed, a model fits the test set by and by, and no correction of a p-value or an "
    "interval allows for that.",
    "Confirm what is decided on test data that no comparison has used.",
    threshold=20,
    reason="Of 20 comparisons of equal models, each at the level .05, at least one finds a "
    "difference with probability 1 - .95^20 = .64.",
)
LADDER_PASSED_BY = _warning(
    "ladder_passed_by",
    "Ladder passed by",
    "{n} evaluations on this data set were not submissions to the Ladder and showed all of "
    "their numbers, so that submissions may fit the data set in spite of the Ladder.",
    "Use a data set for a Ladder alone.",
)

CAUTIONS: Final[Mapping[str, CautionKind]] = MappingProxyType(dict(sorted(_ENTRIES.items())))
"""The catalogue by code, in alphabetical order."""


_ABOUT_LOSSES: Final = choose_words(BlockKind.RANDOM)


def restore(code: str, message: str, words: Words = _ABOUT_LOSSES) -> Caution:
    """Return a caution that was stored as code and message, with the catalogue's other fields.

    The advice has the words for a value, which are losses unless ``words`` says otherwise.
    """
    kind = CAUTIONS[code]
    return Caution(code, message, kind.severity, kind.advice.format(**words.fields), kind.title)


def list_stored(cautions: Iterable[Caution]) -> list[list[str]]:
    """Return cautions as pairs of code and message, which ``restore_all`` reads."""
    return [[caution.code, caution.message] for caution in cautions]


def restore_all(stored: Iterable[Sequence[str]]) -> tuple[Caution, ...]:
    """Return the cautions of pairs of code and message."""
    return tuple(restore(code, message) for code, message in stored)


def sort_cautions(cautions: Iterable[Caution]) -> list[Caution]:
    """Return the cautions by code and message, each once."""
    return sorted(set(cautions), key=lambda caution: (caution.code, caution.message))

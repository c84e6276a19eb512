"""What the name of a column says about its role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal

from thetahat.common_names import (
    COUNT_PHRASES,
    DOUBTFUL_WORDS,
    GROUP_NAMES,
    ITEM_NAMES,
    LABEL_NAMES,
    LOSS_WORDS,
    MEASURE_NAMES,
    MEASURE_WORDS,
    METRIC_ALIASES,
    METRIC_WORDS,
    MODEL_NAMES,
    NAMES_OF_METHODS,
    NUMBERING_WORDS,
    PREDICTION_WORDS,
    QUALIFYING_WORDS,
    QUALITY_WORDS,
    QUANTITY_ENDINGS,
    QUANTITY_WORDS,
    RATER_WORDS,
    RUN_NAMES,
    SCORE_WORDS,
    SPREAD_WORDS,
    SUMMARY_NAMES,
    TARGET_NAMES,
    TASK_NAMES,
    TIME_NAMES,
    TOTAL_WORDS,
    TRUTH_NAMES,
    UNIT_ENDINGS,
    UNIT_WORDS,
)
from thetahat.values.types import UNITS, Better

UNNAMED: Final = re.compile(
    r"(unnamed: \d+(\.\d+|_level_\d+)?|__index_level_\d+__|level_\d+|\.\.\.\d+|row\.?names|index)?",
    re.IGNORECASE,
)
"""Names of an index that pandas, R or readr wrote as a column."""
NameKind = Literal[
    "group", "item", "loss", "model", "prediction", "run", "target", "task", "time", "truth"
]
"""What a column may have by its name: groups of people, the tested item, losses or scores, the
model of each row, predictions, what tells the runs of an item apart, true values, the task of each
item, the time of each row, and true values beside predictions of them."""
WHOLE_NAMES: Final[Mapping[NameKind, AbstractSet[str]]] = {
    "group": GROUP_NAMES,
    "target": TARGET_NAMES | TRUTH_NAMES,
    "time": TIME_NAMES,
    "truth": TRUTH_NAMES,
}
WORDS_OF_NAMES: Final[Mapping[NameKind, AbstractSet[str]]] = {
    "loss": LOSS_WORDS | SCORE_WORDS | METRIC_WORDS,
    "prediction": PREDICTION_WORDS,
    "run": RUN_NAMES,
}
FIRST_WORDS: Final[Mapping[NameKind, tuple[AbstractSet[str], AbstractSet[str]]]] = {
    "item": (ITEM_NAMES, {"id", "idx", "index"}),
    "model": (MODEL_NAMES, {"name", "id"}),
    "task": (TASK_NAMES, {"name"}),
}
"""The first word of the names, and what may follow it."""
RANGE_ENDINGS: Final = ("__MIN", "__MAX")
"""How Weights & Biases ends the names of the columns with the range of another one."""
NAMED_LABELS: Final = ("block", "repeat", "instance", "cluster")
"""Names of columns that `compare` uses as what they are called, without an option."""
FLAG_WORDS: Final = frozenset(("is", "has", "was", "needs"))
"""First words of a name that says that the column marks rows: ``is_hard``."""
MEASURED: Final = LOSS_WORDS | SCORE_WORDS | METRIC_WORDS | QUALITY_WORDS | QUANTITY_WORDS
"""Words for what is measured."""
OF_MODELS: Final = LOSS_WORDS | SCORE_WORDS | NAMES_OF_METHODS
"""Those that columns of models have in their names, too."""
QUALITY: Final = re.compile(
    r"(?!majority|minority|identity|affinity|infinity|unity|trinity|singularity)[a-z]{3,}(ity|ness)"
)
"""Nouns such as ``brightness`` and ``humidity``."""
PLURAL: Final = re.compile(r"(?!beats)[a-z]{3,}(?<![suai])s")  # N-BEATS is a model
UNIT: Final = re.compile(r"[a-z]+([ _][a-z]+)?")


def name_unit(block: str | None) -> str | None:
    """Return the name of a block column if it can stand in a sentence: a new school."""
    if block is None or block in UNITS or not UNIT.fullmatch(block):
        return None
    return block.replace("_", " ")


def split_words(name: str) -> list[str]:
    """Return the words of a name, in small letters: ``["patient", "id"]`` of ``patientId``."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return re.findall(r"[a-z]+\d*|\d+", re.sub("cross[ _-]?entropy", "crossentropy", apart))


def is_unnamed(name: str, position: int) -> bool:
    """Return whether a column has no name of its own, as an index that was written to a file."""
    return name == f"column_{position}" or UNNAMED.fullmatch(name.strip()) is not None


def is_label_name(name: str) -> bool:
    """Return whether a name says that the column names or numbers things: ``fold``, ``user_id``."""
    words = split_words(name)
    return " ".join(words) in LABEL_NAMES or (bool(words) and words[-1] in NUMBERING_WORDS)


def is_measure_name(name: str) -> bool:
    """Return whether a name says that the column measures no loss and no score: ``latency_ms``."""
    words = split_words(name)
    is_flag = len(words) > 1 and words[0] in FLAG_WORDS and not {*words} & SCORE_WORDS
    is_spread = name.endswith(RANGE_ENDINGS) or bool({*words} & SPREAD_WORDS)
    is_summary = is_summary_name(name) or is_spread
    is_measured = (
        is_flag
        or bool({*words} & MEASURE_WORDS)
        or " ".join(w for w in words if w not in TOTAL_WORDS) in MEASURE_NAMES
    )
    return is_summary or (is_measured and not _is_measured_loss(words))


def _is_measured_loss(words: Sequence[str]) -> bool:
    """Return whether a word for a loss comes last but for units: ``token_loss``, ``error_pct``."""
    kinds = [word for word in words if word in (LOSS_WORDS | MEASURE_WORDS) - UNIT_WORDS]
    is_log = {*words} & LOSS_WORDS == {"log"}  # ``log_tokens``
    return bool(kinds) and kinds[-1] in LOSS_WORDS and not (is_log and {*words} != {"log"})


def is_quantity_name(name: str) -> bool:
    """Return whether a name says what is measured, and seems to be no model's name.

    It has only words for quantities and what qualifies them (``hidden_size``), is a count of things
    (``nb_layers``), ends as quantities do (``mask_ratio``, ``decode_tps``, ``pass_at_1``), has
    ``per``, or is a noun of a quality (``brightness``).
    """
    words = split_words(name)
    if len(words) > 1 and words[-1].isdecimal() and words[-2] in {"at", *METRIC_WORDS}:
        del words[-1]  # ndcg@10
    kinds = {*words} - TOTAL_WORDS
    if not words or (kinds and kinds <= MEASURED - NAMES_OF_METHODS):
        return bool(words)
    known = MEASURED | QUALIFYING_WORDS | TOTAL_WORDS
    last, before = words[-1], words[:-1]
    prefix = next((p for p in COUNT_PHRASES if words[: len(p)] == [*p] != words), ())
    counted = words[len(prefix) :]
    return (
        (bool(prefix) and bool(PLURAL.fullmatch(counted[-1])))
        or bool(QUALITY.fullmatch(last))
        or "per" in before[1:]
        or (bool(before) and last in QUANTITY_ENDINGS)
        or (last in UNIT_ENDINGS and (len(last) > 1 or not known.isdisjoint(before)))
        or ({*counted} <= known and bool(prefix))
        or ({*words} <= known and not (MEASURED - OF_MODELS).isdisjoint(words))
    )


def is_count_name(name: str) -> bool:
    """Return whether a name says that whole numbers are a count: ``n_hops``, not ``n_errors``."""
    words = split_words(name)
    return words[:1] in (["n"], ["num"]) and not {*words} & LOSS_WORDS


def is_summary_name(name: str) -> bool:
    """Return whether a name says that it sums up others: ``average``."""
    return " ".join(split_words(name)) in SUMMARY_NAMES


def is_name_of(kind: NameKind, name: str) -> bool:
    """Return whether a name says that a column has what the kind is called: ``sex`` has groups."""
    words = split_words(name)
    if kind in WHOLE_NAMES:
        return " ".join(words) in WHOLE_NAMES[kind]
    if kind in WORDS_OF_NAMES:
        return not WORDS_OF_NAMES[kind].isdisjoint(words)
    firsts, endings = FIRST_WORDS[kind]
    return bool(words) and words[0] in firsts and " ".join(words[1:]) in {"", *endings}


def has_item_word(name: str) -> bool:
    """Return whether a name has a word for the tested item in it: ``item_x``, ``prompt_hash_a``."""
    return not ITEM_NAMES.isdisjoint(word.rstrip("0123456789") for word in split_words(name))


def is_rater_name(name: str) -> bool:
    """Return whether a name says that the column has ratings: ``rater_1``, ``judge_gpt``."""
    return any(word.rstrip("0123456789") in RATER_WORDS for word in split_words(name))


def is_no_model_name(name: str) -> bool:
    """Return whether a name says that the column has neither losses nor scores of a model."""
    return is_label_name(name) or is_name_of("group", name) or is_measure_name(name)


def tell_other_content(name: str, position: int) -> str | None:
    """Return what a name says of a column that has no predictions, as the end of a sentence.

    The name alone is asked, since predicted classes may be texts or whole numbers like labels.
    """
    if is_unnamed(name, position):
        return "has no name of its own, as the index of a table that was saved with it"
    if is_name_of("target", name):
        return "has the name of true values"
    if is_label_name(name):
        return "has a name of labels"
    if is_name_of("group", name):
        return "has a name of groups"
    if is_measure_name(name):
        return "has a name of something else than predictions"
    return None


def find_better(name: str) -> Better | None:
    """Return whether lower or higher values are better, where the name of a score says it."""
    words = {word for each in split_words(name) for word in (each, each.rstrip("0123456789"))}
    losses = words & LOSS_WORDS
    if losses == {"log"} and words != {"log"}:
        return None  # a log-likelihood, or a log score, of which there are two
    if words & DOUBTFUL_WORDS:
        return None
    if losses:
        return "lower"
    return "higher" if words & SCORE_WORDS else None


def find_metrics(name: str) -> frozenset[str]:
    """Return the metrics that a name says the column has: ``f1`` of ``bert_f1``."""
    return frozenset(METRIC_ALIASES.get(word, word) for word in split_words(name)) & METRIC_WORDS

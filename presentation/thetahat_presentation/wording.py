"""Words and names of results: models, blocks, methods and lists of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from thetahat_presentation.numbers import format_count
from thetahat_presentation.targets import SOURCE_WORDS, SourceWords

WRITTEN_NAMES: Final = {
    "cohen_kappa": "Cohen's kappa",
    "zero_one": "zero-one",
    "bootstrap_632": ".632 bootstrap",
    "bootstrap_632_plus": ".632+ bootstrap",
    "five_by_two_f": "5x2 F",
    "five_by_two_t": "5x2 t",
    "fleiss_kappa": "Fleiss' kappa",
    "gwet_ac1": "Gwet's AC1",
    "krippendorff_alpha": "Krippendorff's alpha",
    "leave_one_out": "leave-one-out",
    "leave_one_source_out": "leave-one-source-out",
    "leave_p_out": "leave-p-out",
    "roc_auc": "area under the ROC curve",
}
"""Names of methods that have others than their words."""
WRITTEN_WORDS: Final = {
    "auc": "AUC",
    "bayesian": "Bayesian",
    "bca": "BCa",
    "bccv": "BCCV",
    "cv": "CV",
    "f1": "F1",
    "gaussian": "Gaussian",
    "kl": "k,l",
    "kliep": "KLIEP",
    "mcnemar": "McNemar",
    "pca": "PCA",
    "q": "Q",
    "r2": "R2",
}
"""Words of names that people do not write in lower case."""
PEOPLE: Final = frozenset(
    {
        *("austern", "bates", "bayes", "bayle", "bengio", "benjamini", "bergmann", "bernoulli"),
        *("bonett", "bonferroni", "bouckaert", "brier", "catoni", "clopper", "cochran", "cohen"),
        *("davenport", "diebold", "dietterich", "finner", "frank", "friedman", "hochberg"),
        *("holm", "hommel", "huber", "iman", "mariano", "matthews", "nadeau", "nemenyi"),
        *("newcombe", "newey", "pearson", "poisson", "price", "quade", "shaffer", "sidak"),
        *("student", "tango", "west", "wilcoxon", "wilson", "yekutieli", "zhou"),
    }
)
"""Words of names that are names of people."""
WRITTEN_CORRECTIONS: Final = {"max_t": "max-t", "sidak": "Holm-Sidak"}
"""Names of corrections that have another name on the wire."""
_WIRE_NAME: Final = re.compile(r"(?<!['\"])\b(?!n_|small_)[a-z][a-z0-9]*(?:_[a-zA-Z0-9]+)+\b")
NO_SOURCES: Final = frozenset({"fold", "split", "test set", "block"})
"""What blocks are called that are no sources."""
MOST_NAMES: Final = 4
"""Names that a sentence lists; of more it has the first ones and how many others there are."""


def capitalise(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def join_words(words: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def list_names(names: Sequence[str], most: int = MOST_NAMES, n: int | None = None) -> str:
    """Return names as a list of a sentence; of many the first ones and how many more there are.

    ``n`` is the number of all, where ``names`` are the first of them.
    """
    if len(names) <= most:
        return join_words(names)
    shown = names[: most - 1]
    return join_words([*shown, f"{(n or len(names)) - len(shown)} others"])


def name_method(name: str) -> str:
    """Return the name of a method as people write it: ``roc_auc``, ``nadeau_bengio_t``.

    Two people who follow each other are joined: Nadeau-Bengio t.
    """
    if name in WRITTEN_NAMES:
        return WRITTEN_NAMES[name]
    if name.endswith("k_fold"):
        return name.replace("_", " ").replace("k fold", "K-fold")
    text, before = "", ""
    for word in name.split("_"):
        joint = "-" if {before, word} <= PEOPLE else " "
        text += joint * bool(text) + WRITTEN_WORDS.get(word, _write_person(word))
        before = word
    return text


def name_methods_in(reason: str) -> str:
    """Return a sentence with its methods as people write them; fields of requests stay."""
    return _WIRE_NAME.sub(lambda found: name_method(found[0]), reason)


def name_parameter(name: str) -> str:
    """Return the name of a parameter in words: folds for ``n_folds``."""
    return name.removeprefix("n_").replace("_", " ")


def _write_person(word: str) -> str:
    return word.capitalize() if word in PEOPLE else word


def name_correction(name: str) -> str:
    """Return the name of a correction as people write it: Holm, Benjamini-Hochberg."""
    written = WRITTEN_CORRECTIONS.get(name)
    return written or "-".join(part.capitalize() for part in name.split("_"))


def name_block(word: str, label: str) -> str:
    """Return the name of a block, as ``school 7``, without saying its word twice."""
    is_named = label.lower().startswith((word.lower(), "fold "))
    return label if is_named else f"{word} {label}"


def is_higher_better(result: Mapping[str, Any]) -> bool:
    """Return whether the values are scores; what a result of an older release does not say."""
    summary = result.get("summary") or {}
    if "better" in summary:
        return bool(summary["better"] == "higher")
    estimates = [model.get("estimate") for model in summary.get("models", ())]
    defined = [estimate for estimate in estimates if estimate is not None]
    return len(defined) > 1 and defined[0] > defined[-1]


def find_value_word(result: Mapping[str, Any]) -> str:
    """Return the name of the quantity that models are judged by."""
    return "mean score" if is_higher_better(result) else "mean loss"


def find_block_word(result: Mapping[str, Any], n: int = 1) -> str:
    """Return what a block is called, such as source or school; in the plural for n > 1."""
    noun = result.get("unit") or {"singular": "block", "plural": "blocks"}
    return str(noun["singular" if n == 1 else "plural"])


def find_source_words(result: Mapping[str, Any]) -> SourceWords:
    """Return what sources are called: the word for blocks where these are sources."""
    unit = result.get("unit")
    if not unit or unit["singular"] in NO_SOURCES:
        return SOURCE_WORDS
    words = SourceWords(unit["singular"], unit["plural"])
    return replace(words, these=f"these {words.units}") if _is_about_sources(result) else words


def _is_about_sources(result: Mapping[str, Any]) -> bool:
    """Return whether something is said about a new source, which folds do not allow."""
    about = {(result.get("summary") or {}).get("target")}
    for model in result["models"].values():
        about.update(
            model.get("recommended") or (), (i["target"] for i in model.get("intervals") or ())
        )
    return "new_source" in about


def describe_size(result: Mapping[str, Any], model: Mapping[str, Any]) -> str:
    """Return how many rows, blocks and repeats a mean rests on, as ``569 rows in 10 folds``."""
    n, blocks = model["n"], model["blocks"]
    text = f"{format_count(n)} test {'row' if n == 1 else 'rows'}"
    if blocks > 1:
        text += f" in {format_count(blocks)} {find_block_word(result, blocks)}"
    splits = model["mean"].get("splits")
    repeats = round(len(splits) / blocks) if splits and blocks else 1
    return f"{text}, {repeats} repeats" if repeats > 1 else text


def count_repetitions(study: Mapping[str, Any]) -> str:
    """Return how many repetitions a study has: ``500``.

    The kept study of all intervals has parts with different numbers: ``100 to 3500``.
    """
    numbers = study.get("draws", {}).values() or [study["repetitions"]]
    return " to ".join(format_count(n) for n in dict.fromkeys((min(numbers), max(numbers))))


def describe_repetitions(study: Mapping[str, Any]) -> str:
    """Return how many repetitions a study has, with the noun: ``1 repetition``."""
    number = count_repetitions(study)
    return f"{number} repetition{'' if number == '1' else 's'}"

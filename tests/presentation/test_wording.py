"""The words for models, blocks and studies."""

from __future__ import annotations

from typing import Any

from thetahat_presentation.targets import SourceWords
from thetahat_presentation.wording import (
    count_repetitions,
    describe_repetitions,
    find_source_words,
    list_names,
    name_block,
    name_correction,
    name_method,
    name_methods_in,
    name_parameter,
)


def test_exact_a_study_with_parts_has_a_range_of_repetitions() -> None:
    assert describe_repetitions({"repetitions": 1}) == "1 repetition"
    assert describe_repetitions({"repetitions": 12_500}) == "12 500 repetitions"
    parts = {"repetitions": 3500, "draws": {"metrics": 3500, "sources": 500, "large": 100}}
    assert count_repetitions(parts) == "100 to 3500"
    assert describe_repetitions({**parts, "draws": {"metrics": 500}}) == "500 repetitions"


def test_exact_blocks_that_are_no_sources_do_not_name_them() -> None:
    folds = {"unit": {"singular": "fold", "plural": "folds"}}
    schools = {"unit": {"singular": "school", "plural": "schools"}}

    assert find_source_words(folds) == find_source_words({}) == SourceWords("source", "sources")
    for target, these in (("new_source", "these schools"), ("these_sources", "data like these")):
        about: dict[str, Any] = {"m": {"recommended": {target: {}}}}
        words = find_source_words({**schools, "models": about})
        assert words == SourceWords("school", "schools", these)


def test_exact_names_are_joined_and_many_are_counted() -> None:
    assert list_names(["a"]) == "a"
    assert list_names(["a", "b", "c"]) == "a, b and c"
    assert list_names(list("abcdef")) == "a, b, c and 3 others"
    assert name_block("school", "7") == "school 7"
    assert name_block("school", "School 7") == "School 7"
    assert name_correction("benjamini_hochberg") == "Benjamini-Hochberg"
    assert name_correction("sidak") == "Holm-Sidak"  # on the wire it is sidak


def test_exact_methods_have_the_names_that_people_write() -> None:
    names = {
        "nadeau_bengio_t": "Nadeau-Bengio t",
        "iman_davenport": "Iman-Davenport",
        "bayesian_correlated_t": "Bayesian correlated t",
        "theta_B": "theta B",
        "theta_gamma_kl": "theta gamma k,l",
        "roc_auc": "area under the ROC curve",
        "repeated_k_fold": "repeated K-fold",
        "leave_one_source_out": "leave-one-source-out",
        "something_of_a_plugin": "something of a plugin",
    }

    assert {name: name_method(name) for name in names} == names
    assert name_parameter("n_folds") == "folds"


def test_exact_methods_in_a_reason_are_written_in_words() -> None:
    reason = "five_by_two_t needs nadeau_bengio, and small_sources is not 'leave_out' (n_train)."

    assert name_methods_in(reason) == (
        "5x2 t needs Nadeau-Bengio, and small_sources is not 'leave_out' (n_train)."
    )

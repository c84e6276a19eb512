"""The one list of targets."""

from __future__ import annotations

from thetahat.values.types import Target
from thetahat_presentation.targets import (
    TARGETS,
    SourceWords,
    describe_target,
    explain_target,
    name_target,
    sort_targets,
)

SCHOOLS = SourceWords("school", "schools", "these schools")


def test_exact_every_target_of_the_library_has_its_words() -> None:
    assert set(TARGETS) == set(Target)


def test_exact_targets_are_sorted_with_the_furthest_first() -> None:
    shown = sort_targets(["these_models", "other", "these_sources", "new_source"])

    assert shown == ["new_source", "these_sources", "these_models", "other"]


def test_exact_a_source_has_the_word_of_the_request() -> None:
    assert name_target("new_source", SCHOOLS) == "a new school"
    assert describe_target("new_source", SCHOOLS) == "on a new school"
    assert describe_target("these_models", SCHOOLS) == "of these trained models"
    assert describe_target("these_sources", SCHOOLS) == "on these schools"
    assert describe_target("these_sources") == "on data like these"
    assert describe_target(None) == ""
    assert describe_target("some_other") == "some other"
    assert explain_target("these_sources", "score", SCHOOLS) == (
        "the expected score on more data from the same schools"
    )

from __future__ import annotations

import pytest

from thetahat.cautions import Caution
from thetahat.values.block_nouns import BlockNoun, name_blocks, pluralise
from thetahat.values.types import BlockKind

SCHOOL = BlockNoun(singular="school", plural="schools")
ISLAND = BlockNoun(singular="island", plural="islands")


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("school", "schools"),
        ("study", "studies"),
        ("day", "days"),
        ("class", "classes"),
        ("batch", "batches"),
        ("person", "people"),
        ("test person", "test people"),
        ("series", "series"),
        ("city hospital", "city hospitals"),
    ],
)
def test_exact_plurals(noun: str, plural: str) -> None:
    assert pluralise(noun) == plural


@pytest.mark.parametrize(
    ("sentence", "noun", "named"),
    [
        ("For a new source, a is better.", SCHOOL, "For a new school, a is better."),
        ("This is for a source.", ISLAND, "This is for an island."),
        ("A block has 3 rows.", ISLAND, "An island has 3 rows."),
        ("Sources differ.", SCHOOL, "Schools differ."),
        ("These are source blocks.", SCHOOL, "These are schools."),
        ('Send "blocks": "source".', SCHOOL, 'Send "blocks": "source".'),
        ("Use source_k_fold.", SCHOOL, "Use source_k_fold."),
        ("The source sample has 3 source rows.", SCHOOL, "The source sample has 3 source rows."),
        ("source is better than 'block a'.", SCHOOL, "source is better than 'block a'."),
    ],
)
def test_exact_sentences(sentence: str, noun: BlockNoun, named: str) -> None:
    caution = Caution("code", sentence)

    result = name_blocks(
        (caution,), noun, BlockKind.SOURCE, ["source"] if "better than" in sentence else []
    )

    assert result[0].message == named


def test_limit_without_a_noun_nothing_changes() -> None:
    caution = Caution("code", "For a new source.")

    assert name_blocks(caution, None, BlockKind.SOURCE, []) is caution

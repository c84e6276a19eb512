"""The words of one result for a block and for a value, handed to whoever writes a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from thetahat.values.block_nouns import DEFAULT_NOUNS, BlockNoun
from thetahat.values.types import BlockKind

_INSTANCE: Final = BlockNoun(singular="instance", plural="instances")


class Words(NamedTuple):
    """What the sentences of one result call its blocks and its values.

    A sentence about the blocks or values of the result takes these words. A sentence about a
    block, a fold, a source or a loss in general, such as the folds of a scheme that it recommends
    or the losses of a published comparison, does not.
    """

    block: str
    blocks: str
    """The noun for one block and its plural: the request's ``unit``, or that of the kind of
    block."""
    kind: str
    """What kind of blocks they are, where a sentence compares kinds: ``random blocks``, and of
    sources the request's noun, such as ``schools``."""
    value: str = "loss"
    values: str = "losses"
    """``loss`` and ``losses``, or ``score`` and ``scores``."""
    better: Literal["lower", "higher"] = "lower"
    best: str = "lowest"
    """``lower`` and ``lowest`` of losses, ``higher`` and ``highest`` of scores."""
    cluster: str = "cluster"
    clusters: str = "clusters"
    """The noun for one cluster of instances and its plural: of a holdout, whose only block needs no
    name, the request's ``unit``."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the values are scores."""
        return self.better == "higher"

    @property
    def noun(self) -> BlockNoun:
        """The noun for a block."""
        return BlockNoun(singular=self.block, plural=self.blocks)

    @property
    def fields(self) -> dict[str, object]:
        """The words by name, for a format string."""
        return {name: getattr(self, name) for name in WORD_FIELDS}

    def get_unit(self, unit: str) -> BlockNoun:
        """Return the noun for what a test pairs: an instance, a cluster or a block."""
        if unit == "cluster":
            return BlockNoun(singular=self.cluster, plural=self.clusters)
        return self.noun if unit == "block" else _INSTANCE


WORD_FIELDS: Final = tuple(name for name in Words._fields if name != "kind")
"""The words that a format string can have as fields."""

_DEFAULT: Final[Mapping[BlockKind, Words]] = {
    kind: Words(block=noun.singular, blocks=noun.plural, kind=f"{kind.value} blocks")
    for kind, noun in DEFAULT_NOUNS.items()
}


def choose_words(
    kind: BlockKind, noun: BlockNoun | None = None, *, higher_is_better: bool = False
) -> Words:
    """Return the words of a result.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    noun : BlockNoun or None
        The request's noun for a block, or for a cluster of a holdout; None means that of the kind.
    higher_is_better : bool
        Whether the values are scores.
    """
    words = _DEFAULT[kind]
    if noun is not None and kind is BlockKind.HOLDOUT:
        words = words._replace(cluster=noun.singular, clusters=noun.plural)
    elif noun is not None:
        words = words._replace(block=noun.singular, blocks=noun.plural)
    if noun is not None and kind is BlockKind.SOURCE:
        words = words._replace(kind=noun.plural)
    if not higher_is_better:
        return words
    return words._replace(value="score", values="scores", better="higher", best="highest")

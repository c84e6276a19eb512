"""Labels as whole numbers, in the order in which they first appear."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from thetahat.cautions import LABELS_ALIKE, Caution
from thetahat.values.types import IntArray, Label


def codes_of(labels: Sequence[Label] | IntArray) -> tuple[IntArray, tuple[Label, ...]]:
    """Return codes 0, 1, ... in order of first appearance, and the labels they stand for."""
    codes, values = coded(labels)
    return codes, tuple(values.tolist())


def coded(labels: Sequence[Label] | IntArray) -> tuple[IntArray, np.ndarray]:
    """Return the codes, and the labels as an array: integers, or objects."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
        codes = labels.astype(np.intp, copy=False)
        if _have_no_gaps(codes):
            return codes, np.arange(codes[-1] + 1)
        values, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        rank = np.empty(len(values), dtype=np.intp)
        by_appearance = np.argsort(first, kind="stable")
        rank[by_appearance] = np.arange(len(values))
        return rank[inverse], values[by_appearance]
    seen: dict[Label, int] = {}
    codes = np.fromiter(
        (seen.setdefault(label, len(seen)) for label in labels), dtype=np.intp, count=len(labels)
    )
    return codes, np.array([*seen, None], dtype=object)[:-1]


def key_of(label: Label) -> str:
    """Return a label as the key of a JSON object: a boolean is ``true`` or ``false``."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def key_among(key: str, classes: Sequence[Label]) -> str:
    """Return a key that names one of these classes as ``key_of`` writes it; True is true."""
    return key.lower() if all(isinstance(label, bool) for label in classes) else key


def cautions_of_labels(labels: Iterable[Label], what: str) -> tuple[Caution, ...]:
    """Return whether two labels look like one that is spelt in two ways.

    They differ in letter case, in blanks at their ends, or in how Unicode composes their
    characters. All of these stay labels of their own: nothing here knows that they are not meant.
    """
    spelt: dict[str, list[str]] = {}
    for label in sorted({label for label in labels if isinstance(label, str)}):
        spelt.setdefault(unicodedata.normalize("NFKC", label).casefold().strip(), []).append(label)
    alike = [pair for pair in spelt.values() if len(pair) > 1]
    if not alike:
        return ()
    one, other = alike[0][:2]
    more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
    return (LABELS_ALIKE(what=what, first=ascii(one), second=ascii(other), more=more),)


def _have_no_gaps(codes: IntArray) -> bool:
    """Tell whether integers ascend from 0 without a gap, as the blocks of a matrix do."""
    if not len(codes) or codes[0] != 0:
        return False
    steps = np.diff(codes)
    return bool((steps >= 0).all() and (steps <= 1).all())

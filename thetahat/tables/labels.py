"""Encoding labels as whole numbers in order of first appearance."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.cautions import LABEL_IS_A_MARK, LABELS_ALIKE, LABELS_ROUNDED, Caution
from thetahat.common_names import MISSING_MARKS
from thetahat.values.types import BlockKind, IntArray, Label

if TYPE_CHECKING:
    from thetahat.values.layout import Layout

ABSENT_CLASSES: Final = (
    "If a class does not occur in these rows, name all classes in the field classes, which a "
    "request of predictions has."
)
"""How a message ends that refuses classes of which some may be absent from a test part."""

_NUMBER: Final = re.compile(r"\+?(-?)0*([0-9]+?)(?:(?:\.|,(?![0-9]{3}$))([0-9]*?)0*)?")
MARK_LABELS: Final = MISSING_MARKS | {"(null)", "missing"}
"""Labels that people write where a value is missing, in small letters.

Only ``none`` in small letters is a usual label, as beside mild and severe.
"""
_DIGIT: Final = re.compile(r"[0-9]")
_NOT_PLAIN: Final = re.compile(
    r"[^a-z0-9_:#@()=/. \n-]"  # other characters
    r"| (?=[ /\n]|\Z)|(?:\A|[/\n]) "  # blanks that nobody sees
    r"|(?:\A|[/\n])-?(?:0[0-9]|[0-9]+\.)"  # numbers that can be written in several ways
)
"""What labels have, in lines and small letters, of which one may look like another."""
_ROUNDED: Final = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+[0-9]{2}")
"""How spreadsheets write whole numbers of more digits than they show."""


def list_names(names: Sequence[str]) -> str:
    """Return the first eight names, and how many more there are."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{', '.join(names[:8])}{more}"


def encode_labels(labels: Sequence[Label] | IntArray) -> tuple[IntArray, tuple[Label, ...]]:
    """Return codes 0, 1, ... in order of first appearance, and the label of each code."""
    codes, values = encode_label_array(labels)
    return codes, tuple(values.tolist())


def encode_label_array(labels: Sequence[Label] | IntArray) -> tuple[IntArray, np.ndarray]:
    """Return the codes, and the labels as an array of integers or objects."""
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


def make_label_key(label: Label) -> str:
    """Return a label as a key of a JSON object; a boolean becomes ``true`` or ``false``."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def normalise_label_key(key: str, classes: Sequence[Label]) -> str:
    """Return the key as ``make_label_key`` writes it: for boolean classes ``True`` is ``true``."""
    return key.lower() if all(isinstance(label, bool) for label in classes) else key


def find_similar_labels(labels: Iterable[Label], column: str) -> tuple[Caution, ...]:
    """Return a caution if two labels look like different spellings of one, or of many.

    They differ only in letter case, in blanks, in the Unicode composition of their characters, in
    characters that nobody sees, in the kind of dash, or as 1, 01 and 1.0 do. They stay different
    labels, because they may be meant. A label such as 1.79E+18 may be many ids whose digits a
    spreadsheet has lost, and one such as ? or n/a many rows without a label.
    """
    texts = {label for label in labels if isinstance(label, str)}
    if _are_plain(texts):
        return ()
    spelt: dict[str, list[str]] = {}
    for label in texts:
        spelt.setdefault(_simplify(label), []).append(label)
    alike = sorted(sorted(pair) for pair in spelt.values() if len(pair) > 1)
    cautions = []
    if alike:
        first, second = alike[0][:2]
        more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
        caution = LABELS_ALIKE(what=column, first=ascii(first), second=ascii(second), more=more)
        cautions.append(caution)
    rounded = min((label for label in texts if _ROUNDED.fullmatch(label.strip())), default=None)
    if rounded is not None:
        cautions.append(LABELS_ROUNDED(what=column, first=rounded))
    stripped = ((label, label.strip()) for label in texts)
    marks = (label for label, text in stripped if text != "none" and text.lower() in MARK_LABELS)
    mark = min(marks, default=None)
    if mark is not None and len(texts) > 1:
        cautions.append(LABEL_IS_A_MARK(what=column, first=ascii(mark)))
    return tuple(cautions)


def _are_plain(texts: Collection[str]) -> bool:
    """Return whether it is clear from all labels together that none of them needs a caution.

    A million items are looked at one by one in 4 s, and together in 1 s.
    """
    text = "\n".join(texts).lower()
    lines = {*text.split("\n")}
    if len(lines) != len(texts) or lines & MARK_LABELS:
        return False
    return _NOT_PLAIN.search(text) is None


def find_similar_blocks(layout: Layout) -> tuple[Caution, ...]:
    """Return cautions if blocks, clusters or items look like different spellings of one."""
    blocks = "sources" if layout.kind is BlockKind.SOURCE else "blocks"
    items = () if layout.instance_labels is None else layout.instance_labels
    return (
        *find_similar_labels(layout.block_labels, blocks),
        *find_similar_labels(layout.cluster_labels, "clusters"),
        *find_similar_labels(items, "items"),
    )


def _simplify(label: str) -> str:
    """Return what labels that look alike have in common; an item may be named task/item."""
    if not label.isascii():
        kinds = {character: unicodedata.category(character) for character in set(label)}
        seen = ("-" if kinds[c] == "Pd" else c for c in label if kinds[c] != "Cf")
        label = unicodedata.normalize("NFKC", "".join(seen))
    text = " ".join(label.casefold().split())
    return "/".join(map(_simplify_number, text.split("/"))) if _DIGIT.search(text) else text


def _simplify_number(text: str) -> str:
    number = _NUMBER.fullmatch(text.strip())
    return text if number is None else "{}{}.{}".format(*(part or "" for part in number.groups()))


def _have_no_gaps(codes: IntArray) -> bool:
    """Return whether integers ascend from 0 without a gap, as the blocks of a matrix do."""
    if not len(codes) or codes[0] != 0:
        return False
    steps = np.diff(codes)
    return bool((steps >= 0).all() and (steps <= 1).all())

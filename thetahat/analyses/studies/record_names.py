"""What the arrays of a study's records are called.

A name is its parts with ``/`` between them; a ``/`` inside a part stands as ``%2F``::

    sources                                                    which set of sources was drawn from
    kfold/ridge/mean/macro                                     an estimate
    kfold/ridge/truths/model                                   what is true of it
    kfold/ridge/variances/theta_3/these_sources/macro          a variance of it
    kfold/ridge/intervals/student_t:theta_3/these_sources/macro/lower
    kfold/ridge|nb/tests/nadeau_bengio_t/p_value               of a pair
    kfold/every model/tests/friedman/p_value                   of all models at once
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

SOURCES: Final = "sources"
"""Which set of sources a repetition was drawn from."""
FAILED: Final = "failed"
"""1 where a repetition gave nothing, because a learner or a method refused its data."""
ALL_MODELS: Final = "every model"
"""The subject of the tests of all models at once."""
MEAN, TRUTHS, VARIANCES, INTERVALS, TESTS, KNOWN, PICKED, REGRET = (
    "mean",
    "truths",
    "variances",
    "intervals",
    "tests",
    "known_variance",
    "picked",
    "regret",
)


@lru_cache(maxsize=8192)
def record_name(*parts: str) -> str:
    """Return the name of these parts."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def split_record_name(name: str) -> tuple[str, ...]:
    """Return the parts of a name."""
    return tuple(part.replace("%2F", "/").replace("%25", "%") for part in name.split("/"))


def pair_name(a: str, b: str) -> str:
    """Return what the difference of two models is called: ``a|b``, a minus b."""
    return f"{a}|{b}"


def group_record_names(
    names: Iterable[str], what: str
) -> dict[tuple[str, str], list[tuple[str, ...]]]:
    """Return, by estimator and subject, the further parts of all names of one sort."""
    found: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for name in names:
        estimator, *rest = split_record_name(name)
        if len(rest) > 1 and rest[1] == what:
            found.setdefault((estimator, rest[0]), []).append(tuple(rest[2:]))
    return found

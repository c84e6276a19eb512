"""The names of the arrays in a study's records.

A name is its parts joined by ``/``; a ``/`` within a part is written as ``%2F``::

    sources                                                    which set of sources was drawn
    kfold/ridge/mean/macro                                     an estimate
    kfold/ridge/truths/model                                   a truth that it is compared with
    kfold/ridge/variances/theta_3/these_sources/macro          an estimated variance of it
    kfold/ridge/intervals/student_t:theta_3/these_sources/macro/lower
    kfold/ridge|nb/tests/nadeau_bengio_t/p_value               of a pair of models
    kfold/every model/tests/friedman/p_value                   of all models at once
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

SOURCES: Final = "sources"
"""Code of the set of sources that a repetition was drawn from."""
FAILED: Final = "failed"
"""1 where a learner or a method refused the data of a repetition, which then has no values."""
ALL_MODELS: Final = "every model"
"""The subject of the tests of all models at once."""
MEAN: Final = "mean"
TRUTHS: Final = "truths"
VARIANCES: Final = "variances"
INTERVALS: Final = "intervals"
TESTS: Final = "tests"
KNOWN: Final = "known_variance"
PICKED: Final = "picked"
REGRET: Final = "regret"


@lru_cache(maxsize=8192)
def make_record_name(*parts: str) -> str:
    """Return the name with these parts."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def split_record_name(name: str) -> tuple[str, ...]:
    """Return the parts of a name."""
    return tuple(part.replace("%2F", "/").replace("%25", "%") for part in name.split("/"))


def make_pair_name(a: str, b: str) -> str:
    """Return the subject of the difference a minus b of two models: ``a|b``."""
    return f"{a}|{b}"


def group_record_names(
    names: Iterable[str], section: str
) -> dict[tuple[str, str], list[tuple[str, ...]]]:
    """Return the remaining parts of all names of one section, by estimator and subject."""
    groups: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for name in names:
        estimator, *rest = split_record_name(name)
        if len(rest) > 1 and rest[1] == section:
            groups.setdefault((estimator, rest[0]), []).append(tuple(rest[2:]))
    return groups

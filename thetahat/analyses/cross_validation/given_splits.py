"""Schemes from the splitters of scikit-learn, which are recognised by name and not imported."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, TypeGuard

import numpy as np

from thetahat.cautions import FOLDS_IN_ROW_ORDER, Caution
from thetahat.errors import InvalidParameter
from thetahat.registry import FOLDS, SOURCES, SUBSAMPLES, MethodInfo
from thetahat.schemes.base import Rows, Scheme, Split, Splits
from thetahat.schemes.leave_one_out import LeaveOneOut
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.time_series import TimeSeries
from thetahat.seeds import draw_random_state, make_random_stream
from thetahat.tables.labels import encode_labels


class Splitter(Protocol):
    """An object with the methods of scikit-learn's splitters."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """Yield training and test rows of each split."""
        ...

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        ...


def is_splitter(candidate: object) -> TypeGuard[Splitter]:
    """Return whether an object, not a class, has the methods of a splitter."""
    if isinstance(candidate, type):
        return False
    return all(callable(getattr(candidate, name, None)) for name in ("split", "get_n_splits"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFolds(Scheme):
    """The splits of a splitter that partitions the rows into folds, perhaps several times.

    Parameters
    ----------
    splitter : Splitter
        An object of scikit-learn. A ``random_state`` of None is drawn from the seed.
    n_repeats : int
        Number of partitions.
    cautions : tuple of Caution
        Cautions about these splits.
    """

    splitter: Splitter
    n_repeats: int = 1
    cautions: tuple[Caution, ...] = ()

    info: ClassVar[MethodInfo] = MethodInfo(
        name="given_folds",
        title="Folds of scikit-learn",
        summary="The folds of a splitter of scikit-learn.",
        references=("pedregosa2011",),
        blocks=FOLDS,
    )

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits."""
        return len(self._list_splits(rows, 0))

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits of the splitter."""
        pairs = self._list_splits(rows, seed)
        n_blocks = len(pairs) // self.n_repeats
        for number in range(len(pairs))[start:stop]:
            repeat, block = divmod(number, n_blocks)
            train, test = (np.sort(np.asarray(part, dtype=np.intp)) for part in pairs[number])
            yield Split(repeat, block, self.name_block(block), train, test)

    def name_block(self, block: int) -> int | str:
        """Return the label of a block."""
        return block

    def _list_splits(self, rows: Rows, seed: int) -> list[tuple[Any, Any]]:
        splitter: Any = copy.copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = draw_random_state(make_random_stream(seed, "folds", 0))
        groups = None
        if "source" in self.requires:
            if rows.source is None:
                raise InvalidParameter(
                    f"{type(splitter).__name__} needs groups, the group of each row.",
                    loc=("groups",),
                )
            groups = encode_labels(rows.source)[0]
        try:
            return list(splitter.split(np.zeros((rows.n, 1)), rows.y, groups))
        except ValueError as error:
            raise InvalidParameter(
                f"{type(splitter).__name__} of scikit-learn cannot split these data: {error}",
                loc=("scheme",),
            ) from error


class GivenGroups(GivenFolds):
    """The splits of a splitter into groups of whole sources."""

    __slots__ = ()

    info: ClassVar[MethodInfo] = MethodInfo(
        name="given_groups",
        title="Groups of scikit-learn",
        summary="The folds of whole sources of a splitter of scikit-learn.",
        references=("pedregosa2011",),
        blocks=SOURCES,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"source"})
    groups_sources: ClassVar[bool] = True

    def name_block(self, block: int) -> str:
        """Return the label of a block."""
        return f"fold {block}"


class GivenSubsamples(GivenFolds):
    """The splits of a splitter that draws test parts independently of each other."""

    __slots__ = ()

    info: ClassVar[MethodInfo] = MethodInfo(
        name="given_subsamples",
        title="Random splits of scikit-learn",
        summary="The splits of a splitter of scikit-learn that draws them independently.",
        references=("pedregosa2011",),
        blocks=SUBSAMPLES,
    )


def build_scheme_of_splitter(splitter: Splitter) -> Scheme:
    """Return the scheme with the splits of a splitter.

    Raises ``InvalidParameter`` for a splitter of which it is not known what its test parts are.
    """
    names = [parent.__name__ for parent in type(splitter).__mro__]
    for name, build in _BUILDERS.items():
        if name in names:
            return build(splitter)
    raise InvalidParameter(
        f"What the test parts of {type(splitter).__name__} are is not known. The splitters of "
        f"scikit-learn that are understood are {', '.join(_BUILDERS)}. For other splits send the "
        "number of each row's fold as fold, with the scheme 'predefined'.",
        loc=("scheme",),
    )


def _build_folds(splitter: Any) -> Scheme:
    cautions = () if splitter.shuffle else (FOLDS_IN_ROW_ORDER(name=type(splitter).__name__),)
    return GivenFolds(splitter=splitter, cautions=cautions)


def _build_repeated(splitter: Any) -> Scheme:
    return GivenFolds(splitter=splitter, n_repeats=splitter.n_repeats)


def _build_time_series(splitter: Any) -> Scheme:
    return TimeSeries(
        n_folds=splitter.n_splits,
        test_size=splitter.test_size,
        gap=splitter.gap,
        max_train_size=splitter.max_train_size,
    )


_BUILDERS: Final[Mapping[str, Callable[[Any], Scheme]]] = {
    "KFold": _build_folds,
    "StratifiedKFold": _build_folds,
    "RepeatedKFold": _build_repeated,
    "RepeatedStratifiedKFold": _build_repeated,
    "GroupKFold": lambda splitter: GivenGroups(splitter=splitter),
    "StratifiedGroupKFold": lambda splitter: GivenGroups(splitter=splitter),
    "LeaveOneGroupOut": lambda _: LeaveOneSourceOut(),
    "LeaveOneOut": lambda _: LeaveOneOut(),
    "ShuffleSplit": lambda splitter: GivenSubsamples(splitter=splitter),
    "StratifiedShuffleSplit": lambda splitter: GivenSubsamples(splitter=splitter),
    "TimeSeriesSplit": _build_time_series,
}
"""By name of the class."""

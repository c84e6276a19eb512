"""The methods of a family by wire name.

A family is a package; each public module in it defines one method, a frozen dataclass whose fields
are the method's parameters and whose ``info`` describes it: the one class of the module that has an
``info`` of its own. The module's name is the wire name. ``base`` and modules that start with an
underscore hold what the methods of the family share. The names are known from the files; a method's
module is imported when the method is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from operator import itemgetter
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Generic, TypeVar

from thetahat.errors import InvalidParameter, Loc
from thetahat.similar_names import suggest_name
from thetahat.traits import (
    CorrectionTraits,
    IntervalTraits,
    LearnerTraits,
    LossTraits,
    Recommendation,
    VarianceTraits,
    WeightTraits,
)
from thetahat.values.types import BlockKind, MeanKind, Needs, Target

M = TypeVar("M")

EVERY_BLOCK_KIND = frozenset(BlockKind)
FOLDS = frozenset({BlockKind.RANDOM})
SOURCES = frozenset({BlockKind.SOURCE})
PARTITIONS = FOLDS | SOURCES  # of a block, all others of the repeat are trained on
HOLDOUT = frozenset({BlockKind.HOLDOUT})
SUBSAMPLES = frozenset({BlockKind.SUBSAMPLES})
ONE_TEST_EACH = PARTITIONS | HOLDOUT  # in one repeat no instance is tested twice


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodInfo:
    """The description of a method, for users and for the rules that choose between methods."""

    title: str
    """A short name for users."""
    summary: str
    """One or two sentences that say what the number is."""
    formula: str = ""
    """The formula in LaTeX, in the source's notation; empty where there is none."""
    references: tuple[str, ...] = ()
    """Keys of ``thetahat.references.REFERENCES``."""
    assumptions: str = ""
    """What must hold for the number to be right."""
    errs: str = ""
    """In which direction it errs when the assumptions fail."""
    needs: Needs = Needs.LOSSES
    """The input that it needs."""
    blocks: frozenset[BlockKind] = ONE_TEST_EACH
    """The kinds of block it is valid for. Subsamples, whose test parts may overlap, only where a
    method says so."""
    targets: tuple[Target, ...] = ()
    """What its numbers can be about; empty for families without targets (losses, schemes, ...)."""
    mean: MeanKind | None = None
    """The mean it centres on, for variances and intervals."""
    is_default: bool = False
    """Whether a request that names no method of the family gets this one."""
    by_request_only: bool = False
    """Whether it is computed only where a request names it, because it costs many fits or needs
    parameters."""
    only_zero_one: bool = False
    """Whether it is only for losses that are all 0 or 1."""
    recommended: tuple[Recommendation, ...] = ()
    """The places of its intervals in the order in which intervals are recommended."""
    never_recommended: bool = False
    """Whether no interval that rests on it is ever recommended, not even where nothing else was
    built."""
    variance: VarianceTraits = field(default=VarianceTraits())
    interval: IntervalTraits = field(default=IntervalTraits())
    loss: LossTraits = field(default=LossTraits())
    learner: LearnerTraits = field(default=LearnerTraits())
    correction: CorrectionTraits = field(default=CorrectionTraits())
    weights: WeightTraits = field(default=WeightTraits())
    """What rules ask of a method of that family."""
    name: str = ""
    """Wire name. Left out: that of the module whose class has the description."""

    def __set_name__(self, owner: type[object], attribute: str) -> None:
        if not self.name:
            object.__setattr__(self, "name", owner.__module__.rpartition(".")[2])


class _MethodModules(Mapping[str, Any]):
    """The methods of a package by module name; a module is imported when its method is wanted."""

    def __init__(self, package: str, path: Sequence[str]) -> None:
        self._package = package
        self._names = tuple(
            module.name
            for module in iter_modules(path)
            if not (module.ispkg or module.name == "base" or module.name.startswith("_"))
        )
        self._imported: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._imported:
            if name not in self._names:
                raise KeyError(name)
            self._imported[name] = _find_method(import_module(f"{self._package}.{name}"))
        return self._imported[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _find_method(module: ModuleType) -> Any:
    """Return the class of a module that has an ``info`` of its own, under the module's name."""
    methods: set[Any] = {
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and "info" in vars(value)
    }
    if len(methods) != 1:
        raise RuntimeError(f"{module.__name__} must have one class with an info, not {methods}")
    (method,) = methods
    if method.info.name != module.__name__.rpartition(".")[2]:
        message = f"{module.__name__} registers {method.info.name!r}"
        raise RuntimeError(f"{message}; file and wire name must agree")
    return method


class Registry(Mapping[str, M], Generic[M]):
    """Read-only mapping from wire name to method class, in the order of the names.

    Parameters
    ----------
    family : str
        Name of the family.
    *parts : mapping of str to M
        The methods; with several parts a later one replaces methods of the same name. A method is
        read from its part only when it is wanted, so that names cost no import.
    """

    def __init__(self, family: str, *parts: Mapping[str, M]) -> None:
        self.family = family
        self._sources = parts

    @cached_property
    def _parts(self) -> dict[str, Mapping[str, M]]:
        """The part that has each method, listed when a name is first asked for."""
        by_name = {name: part for part in self._sources for name in part}
        return dict(sorted(by_name.items(), key=itemgetter(0)))

    @classmethod
    def collect(cls, package: str, path: Sequence[str]) -> Registry[Any]:
        """List the public modules of a package, each of which defines a method."""
        return cls(package.rsplit(".", 1)[-1], _MethodModules(package, path))

    def get_method(self, name: str, *, loc: Loc = ()) -> M:
        """Return the method of that wire name; ``InvalidParameter`` lists the ones there are."""
        if name in self:
            return self[name]
        known = ", ".join(self) or "none yet"
        family = self.family.replace("_", " ")
        near = suggest_name(name, self, self.family)
        raise InvalidParameter(
            f"{name!r} is not one of the {family}{near}: {known}.",
            loc=loc,
            value=name,
        )

    def defaults(self) -> tuple[str, ...]:
        """Return the methods that a request gets which names none."""
        methods: Mapping[str, Any] = self
        return tuple(name for name, method in methods.items() if method.info.is_default)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __getitem__(self, name: str) -> M:
        return self._parts[name][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

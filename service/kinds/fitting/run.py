"""The learners of one chunk at work: together where they can be, and each alone where not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from service.jobs.failures import memory_limit
from service.kinds.fitting.outcomes import Arrays, Told
from service.settings import settings
from thetahat.cross_validation import Group, SplitOutcome, run_path
from thetahat.errors import EvaluationError
from thetahat.losses.base import Loss
from thetahat.schemes.base import Split
from thetahat.tables.data import Data

Packing = Callable[[str, Sequence[SplitOutcome]], Arrays]


def run_group(  # noqa: PLR0913 - as run_path, and what becomes of it
    group: Group,
    data: Data,
    splits: Callable[[], Iterable[Split]],
    loss: Loss,
    seed: int,
    packing: Packing,
) -> Told:
    """Run learners on the same splits together.

    Parameters
    ----------
    splits : callable
        Gives the splits anew each time.
    packing : callable
        Gives the arrays of a learner's outcomes, or refuses them.
    """

    def run(some: Group) -> Told:
        told = Told()
        found = run_path(some, data, splits(), loss, seed, keep_predictions=True)
        for name, one in found.items():
            if isinstance(one, EvaluationError):
                told.fail(name, one.code, one.message)
            else:
                told.note(name, partial(packing, name, one))
        return told

    return together(group, run)


def together(group: Group, run: Callable[[Group], Told]) -> Told:
    """Return what all learners of a group give at once; a refusal of the work is one of each.

    Where they want too much memory together they are run one after another, and one that wants
    too much by itself fails alone: at the edge of a limit the last digits of what one gives may
    then differ from those that it gives with others.
    """
    if len(group.names) == 1:
        return _refused_alike(group, run)
    try:
        return _refused_alike(group, run)
    except MemoryError:
        pass  # its traceback holds what was too much, and is gone outside of the handler
    found = Told()
    for name, learner in zip(group.names, group.learners, strict=True):
        try:
            told = _refused_alike(Group((name,), (learner,)), run)
        except MemoryError:
            said = memory_limit(settings().memory_limit_mb)
            found.fail(name, said["code"], said["detail"])
        else:
            found.ran |= told.ran
            found.failures |= told.failures
    return found


def _refused_alike(group: Group, run: Callable[[Group], Told]) -> Told:
    try:
        return run(group)
    except EvaluationError as error:  # what a scheme refuses is refused for all
        told = Told()
        for name in group.names:
            told.fail(name, error.code, error.message)
        return told

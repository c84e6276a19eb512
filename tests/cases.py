"""Many combinations in one case: the message of a failure names the one that failed.

pytest takes as long to collect, start and report a case as most of ours take to run. A method is
a case of its own; the kinds of blocks, sizes or levels that it goes through are not.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

Test = Callable[..., None]


@contextmanager
def case(*parts: object) -> Iterator[None]:
    """Add the case that a loop is at to whatever is raised inside the block."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {', '.join(map(str, parts))}")
        raise


def each(name: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each value of an argument, within one case.

    The fixtures of the test are made once for all values. Several arguments are named with commas,
    and each value is then a tuple.
    """
    names, given = name.split(","), list(values)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        others = [p for p in signature.parameters.values() if p.name not in names]

        @functools.wraps(test)
        def run(**arguments: Any) -> None:
            for value in given:
                parts = value if len(names) > 1 else (value,)
                chosen = dict(zip(names, parts, strict=True))
                with case(*(f"{key} = {part!r}" for key, part in chosen.items())):
                    test(**chosen, **arguments)

        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate

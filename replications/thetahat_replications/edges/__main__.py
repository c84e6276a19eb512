"""Run the tables of inference at the edges and write their pages.

``python -m thetahat_replications.edges`` runs every table with few repetitions. The pages that are
kept were written with more: each begins with its command. ``--ship`` writes what results read of
them.
"""

from __future__ import annotations

import argparse
import pkgutil
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from thetahat_replications import edges
from thetahat_replications.edges.shipped_coverage import LIBRARY, ship
from thetahat_replications.edges.table import Table, build_table, write_page

REPETITIONS: Final = 100
SEED: Final = 33
OUTPUT: Final = Path("docs/results/edges")

TableBuilder: TypeAlias = Callable[[int, int], Table]
"""Takes the number of repetitions and the seed."""


def find_tables() -> dict[str, TableBuilder]:
    """Return what simulates the table of each module that has rows, by name."""
    builders: dict[str, TableBuilder] = {}
    for info in pkgutil.iter_modules(edges.__path__):
        if info.name == "__main__":
            continue
        module: Any = import_module(f"{edges.__name__}.{info.name}")
        if hasattr(module, "list_rows"):
            builders[info.name] = partial(build_table, module)
    return builders


def main() -> None:
    """Run the tables and write their pages."""
    builders = find_tables()
    parser = argparse.ArgumentParser(
        prog="python -m thetahat_replications.edges", description=__doc__
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"{', '.join(builders)}; all if none is named"
    )
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument(
        "--ship",
        action="store_true",
        help="write the files of the library from the kept pages, and nothing else",
    )
    options = parser.parse_args()
    if options.ship:
        for path in ship(options.output, LIBRARY):
            print(path)  # noqa: T201 - a command
        return
    if unknown := set(options.tables) - set(builders):
        parser.error(f"there is no table {', '.join(sorted(unknown))}")
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.tables or builders:
        table = builders[name](options.repetitions, options.seed)
        command = f"{parser.prog} {name} --repetitions {options.repetitions} --seed {options.seed}"
        (options.output / f"{name}.md").write_text(write_page(table, command))
        print(f"{options.output / f'{name}.md'}: {len(table.rows)} rows")  # noqa: T201 - a command


if __name__ == "__main__":
    main()

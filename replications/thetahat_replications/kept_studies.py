"""The kept results of the presets, which travel with this package.

``kept_results/NAME.json.gz`` is the result that ``thetahat study NAME`` wrote as ``result.json``,
compressed. ``python -m thetahat_replications.kept_studies FILE ...`` keeps new ones: each FILE is
the ``result.json`` of a folder that is named after its preset.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).with_name("kept_results")
_SUFFIX: Final = ".json.gz"


def list_kept_studies() -> tuple[str, ...]:
    """Return the names of the presets whose results are kept."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in FOLDER.glob(f"*{_SUFFIX}")))


def read_kept_study(name: str) -> dict[str, Any]:
    """Return the kept result of a preset, one of ``list_kept_studies``."""
    result: dict[str, Any] = json.loads(gzip.decompress((FOLDER / f"{name}{_SUFFIX}").read_bytes()))
    return result


def compress_result(result: dict[str, Any]) -> bytes:
    """Return a result as it is kept; the same result gives the same bytes."""
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


def main() -> None:
    """Keep the results that are named."""
    for path in map(Path, sys.argv[1:]):
        result = json.loads(path.read_text(encoding="utf-8"))
        name = path.resolve().parent.name
        (FOLDER / f"{name}{_SUFFIX}").write_bytes(compress_result(result))


if __name__ == "__main__":
    main()

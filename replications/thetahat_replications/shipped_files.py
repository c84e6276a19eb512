"""Files of studies that travel with the library, as ``thetahat.values.kept_studies`` reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def format_study_file(head: Mapping[str, object], rows: Iterable[object]) -> str:
    """Return the text of a file: what comes before the rows, and each row on a line of its own."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{json.dumps(head)[:-1]}, "rows": [\n{lines}\n]}}\n'

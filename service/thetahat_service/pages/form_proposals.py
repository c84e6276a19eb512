"""What the form of a new evaluation proposes for a file, from what was understood of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from thetahat_presentation.wording import list_names
from thetahat_service.json_types import ColumnDescription, FileUnderstanding

MOST_LEFT_OUT: Final = 100
"""Sources up to which each is left out in turn; of more, groups of them are."""
USUAL_SCHEME: Final = "k_fold"
LEAVE_SOURCES_OUT: Final = "leave_one_source_out"
LEAVE_GROUPS_OUT: Final = "source_k_fold"
_CLASSES: Final = frozenset({"string", "boolean"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FormProposals:
    """What the form proposes; of a file that was not looked at, only what the types say."""

    kind: str = "cross_validation"
    """The kind of evaluation."""
    target: str = ""
    """The column with the name of true values."""
    losses: Sequence[str] = ()
    """Columns of losses or scores, where the file seems to hold losses."""
    model_column: str = ""
    """The column that names the model, in a file with a row for each item and model."""
    item: str = ""
    """The column of the item of such a file."""
    item_task: str = ""
    """The column of its task."""
    block: str = ""
    cluster: str = ""
    """The columns of these names in a file of losses, which ``compare`` uses, too."""
    labels: Sequence[str] = ()
    """Columns whose values rows share, so that the rows may belong together."""
    named_labels: Sequence[str] = ()
    """Those of them whose names say so, such as school."""
    tasks: Mapping[str, str] = field(default_factory=dict)
    """The task by target, where the values show it."""
    schemes: Mapping[str, str] = field(default_factory=dict)
    """The scheme by source."""
    has_missing: bool = False
    """Whether a column other than the target lacks values."""

    def get_scheme(self, source: str) -> str:
        """Return the scheme for a source: whole sources are left out where one is named."""
        return self.schemes.get(source, LEAVE_GROUPS_OUT) if source else USUAL_SCHEME

    @property
    def label_hint(self) -> str:
        """A sentence on the columns that may say which rows belong together; empty without any."""
        if not self.labels:
            return ""
        return f"Rows share values of {list_names(self.labels)}, so they may belong together."

    @property
    def source_hint(self) -> str:
        """A sentence on the columns whose names are those of sources; empty without any."""
        if not self.named_labels:
            return ""
        return f"By name, this may be {list_names(self.named_labels)}."


def build_proposals(
    understood: FileUnderstanding | None, columns: Sequence[ColumnDescription]
) -> FormProposals:
    """Return the proposals for a file; None stands for one that was not looked at."""
    by_type = {c["name"]: "classification" for c in columns if c["type"] in _CLASSES}
    if understood is None:
        return FormProposals(tasks=by_type)
    found, kind = understood["columns"], understood["kind"]
    targets = [column["name"] for column in found if column["role"] == "target"]
    of_rows = {column["role"]: column["name"] for column in found}
    labels = [column for column in found if column["role"] == "label"]
    scores = [column["name"] for column in found if column["role"] == "score"]
    # A faulty cell of a chosen column is refused by its row; a column that is not chosen is lost.
    losses = [c["name"] for c in found if c["role"] in {"model", "faulty"}] or scores
    names = {column["name"] for column in found} if kind == "losses" else set()
    is_long = "model of the row" in of_rows
    knows_score = kind == "losses" and len(scores) < 2  # of a log with several, one is chosen
    return FormProposals(
        kind=kind,
        target=targets[0] if targets else "",
        losses=losses if knows_score else (),
        model_column=of_rows.get("model of the row", ""),
        item=of_rows.get("item", "") if is_long else "",
        item_task=of_rows.get("task", ""),
        block="block" if "block" in names and not is_long else "",
        cluster="cluster" if "cluster" in names else "",
        labels=[column["name"] for column in labels],
        named_labels=[column["name"] for column in labels if column["is_named_label"]],
        tasks=by_type | {c["name"]: c["task"] for c in found if c["task"] is not None},
        schemes={
            c["name"]: LEAVE_SOURCES_OUT if c["distinct"] <= MOST_LEFT_OUT else LEAVE_GROUPS_OUT
            for c in found
        },
        has_missing=any(c["missing"] for c in found if c["name"] not in targets[:1]),
    )

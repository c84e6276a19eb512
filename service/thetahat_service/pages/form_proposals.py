"""What the form of a new evaluation proposes for a file, from what was understood of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from thetahat.roles.names import is_name_of, is_rater_name
from thetahat_presentation.wording import list_names
from thetahat_service.json_types import ColumnDescription, FileUnderstanding, UnderstoodColumn

MOST_LEFT_OUT: Final = 100
"""Sources up to which each is left out in turn; of more, groups of them are."""
MOST_CLASSES: Final = 20
"""Different values of a target up to which whole numbers of as many may be predictions of it."""
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
    missing: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The first row without a value, and how many there are, by column that has such rows."""
    has_missing: bool = False
    """Whether a column other than the target lacks values."""

    def get_scheme(self, source: str) -> str:
        """Return the scheme for a source: whole sources are left out where one is named."""
        return self.schemes.get(source, LEAVE_GROUPS_OUT) if source else USUAL_SCHEME

    def describe_missing(self, names: Sequence[str | None]) -> str | None:
        """Return what is missing in the first of these columns that lacks values, as a sentence."""
        name = next((name for name in names if name in self.missing), None)
        if name is None:
            return None
        row, n = self.missing[name]
        more = f", nor in {n - 1} more rows" if n > 1 else ""
        return (
            f"Column {name} has no value in row {row}{more}. Complete the file, or tick that such "
            "rows are left out."
        )

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


def _may_be_label(column: UnderstoodColumn, understood: FileUnderstanding) -> bool:
    """Return whether rows may belong together by a column: a label, or whole numbers they share.

    Whole numbers are none where they may be predicted classes, or 0 and 1.
    """
    if column["role"] == "label":
        return True
    name = column["name"]
    of_target = [c["distinct"] for c in understood["columns"] if c["role"] == "target"]
    fewest = max([2, *(n for n in of_target if n <= MOST_CLASSES)])
    return (
        column["type"] == "integer"
        and column["role"] in {"unclear", "feature", "model"}
        and (column["role"] != "model" or understood["kind"] == "predictions")
        and fewest < column["distinct"] <= understood["rows"] / 2
        and not (is_name_of("prediction", name) or is_name_of("loss", name) or is_rater_name(name))
    )


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
    labels = [column for column in found if _may_be_label(column, understood)]
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
        missing={
            c["name"]: (c["first_missing"], c["missing"])
            for c in found
            if c["first_missing"] is not None
        },
        has_missing=any(c["missing"] for c in found if c["name"] not in targets[:1]),
    )

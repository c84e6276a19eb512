"""What models cost, as options of a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thetahat_service.cli.failures import UserError

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue


@dataclass(frozen=True, slots=True)
class CostOptions:
    """What the options say of each model's cost."""

    numbers: dict[str, float]
    """One number for each model."""
    columns: dict[str, str]
    """The column with the costs of its rows, by model."""
    in_logs: str | None = None
    """The column of logs with the cost of each run."""

    def build_fields(self, unit: str | None) -> dict[str, JsonValue]:
        """Return the fields of a request, beside the columns of a table."""
        fields: dict[str, JsonValue] = {}
        if self.numbers:
            fields["cost"] = {**self.numbers}
        if unit is not None:
            fields["cost_unit"] = unit
        return fields

    def refuse_columns(self) -> None:
        """Refuse a column of costs for each model where rows are matched by item."""
        for model, column in self.columns.items():
            raise UserError(
                f"--cost {model}={column}: a column for each model is for a table with a column "
                "for each model. Here rows are matched by item; give one number for each model, or "
                "--cost COLUMN, the column with the cost of each row."
            )

    def refuse_in_logs(self) -> None:
        """Refuse one column of costs where every model has a column of its own."""
        if self.in_logs is not None:
            raise UserError(
                f"--cost {self.in_logs!r} must be MODEL=NUMBER or MODEL=COLUMN, once for each "
                "model. One COLUMN alone is for logs, whose rows are matched by item."
            )


def read_cost_options(options: Sequence[str]) -> CostOptions:
    """Return the costs of the options, each MODEL=NUMBER or MODEL=COLUMN, or one COLUMN of logs."""
    if len(options) == 1 and "=" not in options[0]:
        return CostOptions({}, {}, options[0])
    numbers: dict[str, float] = {}
    columns: dict[str, str] = {}
    for option in options:
        model, separator, written = option.rpartition("=")
        if not (model and separator and written) or model in {*numbers, *columns}:
            raise UserError(
                f"--cost {option!r} must be MODEL=NUMBER or MODEL=COLUMN, once for each model."
            )
        try:
            numbers[model] = float(written)
        except ValueError:
            columns[model] = written
    if numbers and columns:
        raise UserError(
            f"--cost gives a number for {next(iter(numbers))} and a column for "
            f"{next(iter(columns))}. Give one of the two for all models."
        )
    return CostOptions(numbers, columns)

"""The tools that ``thetahat mcp`` offers to assistants: what the commands of the same names do.

Each returns the text that a person would read, or JSON where that is what the next call needs. The
functions know nothing of the protocol.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from thetahat_service.cli import compared_files
from thetahat_service.cli.failures import UserError

if TYPE_CHECKING:
    from thetahat_client.result_types import ResultJson

WIDTH = 100

File = Annotated[str, Field(description="Path of a file below the folder of this server.")]
Margin = Annotated[
    float | None,
    Field(description="Largest difference that does not matter, in units of the loss."),
]
Level = Annotated[float, Field(description="Confidence level of intervals.")]
ShowAll = Annotated[
    bool, Field(description="Every sentence, table and caution, not the findings alone.")
]


class FileReading(BaseModel):
    """How the columns of a file are read, where inspect does not find it out by itself."""

    model_config = ConfigDict(extra="forbid")

    models: list[str] = Field(
        default_factory=list, description="Columns of the models' losses or scores."
    )
    block: str | None = Field(None, description="Column with the school, hospital, task or fold.")
    blocks: compared_files.Blocks | None = Field(None, description="What a block is.")
    repeat: str | None = Field(None, description="Column with the repeat of a partition.")
    instance: str | None = Field(None, description="Column with the test instance.")
    cluster: str | None = Field(None, description="Column with dependent rows' cluster.")
    time: str | None = Field(None, description="Column with the time of each row.")
    model_column: str | None = Field(
        None, description="Column with the model, if each row is of one model."
    )
    item: str | None = Field(None, description="Column with the item, if each row is of one model.")
    task: str | None = Field(None, description="Column with the task of an item.")
    score: str | None = Field(None, description="Name of the score, if rows have several.")
    better: compared_files.BetterValues | None = Field(
        None, description="Whether lower values (losses) or higher ones (scores) are better."
    )
    missing: compared_files.Missing | None = Field(
        None, description="What to do with rows in which a model has no value."
    )

    def list_options(self, pair: tuple[str, ...] = ()) -> compared_files.FileOptions:
        """Return them as the options of a command; ``pair`` are the two models of a gate."""
        values = self.model_dump()
        models = tuple(values.pop("models"))
        return compared_files.FileOptions(models=models, pair=pair, **values)


Reading = Annotated[
    FileReading | None, Field(description="How the columns are read; left out, as inspect says.")
]


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools, for the files of one folder."""

    folder: Path
    """Files outside of it are refused."""
    url: str | None = None
    """The service whose results are read."""

    def inspect(self, file: File) -> str:
        """Say what each column of a table or log seems to be for, with the questions it answers.

        Call it before compare and gate. The answer is JSON.
        """
        from thetahat_service.cli.evaluate_once import open_data

        with open_data(self._find(file)) as data:
            from thetahat_service.data.understanding import understand_file

            return _write_json(understand_file(data, data.rows))

    def compare(
        self,
        file: File,
        reading: Reading = None,
        margin: Margin = None,
        level: Level = 0.95,
        show_all: ShowAll = False,
    ) -> str:
        """Compare models by their losses or scores: which is better, and how certain that is.

        The verdict, its table, the caution and the next step belong together: report none without
        the others.
        """
        options = (reading or FileReading()).list_options()
        fields: dict[str, Any] = {"level": level, "include": "all" if show_all else ["omnibus"]}
        if margin is not None:
            fields["margin"] = margin
        computed = compared_files.evaluate_files([self._find(file)], options, fields, None)
        return _write_findings(computed.result, show_all=show_all)

    def gate(
        self,
        file: File,
        model: Annotated[str, Field(description="The model that is to be released.")],
        against: Annotated[str, Field(description="The model that it is compared with.")],
        require: Annotated[
            Literal["better", "not_worse", "equivalent"],
            Field(description="What must be shown; the last two need a margin."),
        ] = "not_worse",
        margin: Margin = None,
        reading: Reading = None,
        level: Level = 0.95,
    ) -> str:
        """Say whether the data show that a model may be released: pass, fail or undecided."""
        options = (reading or FileReading()).list_options((model, against))
        named = {"model": model, "against": against, "require": require}
        fields: dict[str, Any] = {"level": level, "gate": named}
        if margin is not None:
            fields["margin"] = margin
        computed = compared_files.evaluate_files([self._find(file)], options, fields, None)
        return _write_findings(computed.result)

    def advise(
        self,
        situation: Annotated[
            dict[str, Any],
            Field(description="n, and what else is known, as POST /v1/advice takes it."),
        ],
    ) -> str:
        """Say which scheme fits data and question before anything is computed; JSON."""
        from thetahat_service.cli.advise import advise_here

        return _write_json(advise_here(situation))

    def read_result(
        self,
        source: Annotated[
            str,
            Field(description="Id of an evaluation in the service, or a JSON file of a result."),
        ],
        show_all: ShowAll = False,
    ) -> str:
        """Put a stored result into words: its findings or, with show_all, everything."""
        if source.endswith(".json"):
            result = json.loads(self._find(source).read_text(encoding="utf-8"))
            if not isinstance(result, dict) or "kind" not in result:
                raise UserError(f"{source!r} is not the result of an evaluation.")
            return _write_findings(result, show_all=show_all)
        if self.url is None:
            raise UserError("Results of a service need its address: start thetahat mcp with --url.")
        from thetahat_service.cli.connection import connect

        with connect(self.url) as client:
            return _write_findings(dict(client.result(source)), show_all=show_all)

    def _find(self, file: str) -> Path:
        """Return a file below the folder; ``UserError`` for any other."""
        folder = self.folder.resolve()
        path = (folder / file).resolve()
        if not path.is_relative_to(folder):
            message = f"{file!r} is not below the folder of this server, {str(self.folder)!r}."
            raise UserError(message)
        if not path.is_file():
            raise UserError(f"There is no file {file!r} below {str(self.folder)!r}.")
        return path


def _write_findings(result: ResultJson, *, show_all: bool = False) -> str:
    from thetahat_presentation.renderers.text import Page
    from thetahat_presentation.showing import show

    page = Page(prose=WIDTH, all_option="show_all", is_ascii=False)
    return page.write(show(result), show_all=show_all)


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)

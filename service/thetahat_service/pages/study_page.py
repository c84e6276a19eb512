"""What the page of a kept study shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thetahat.cautions import restore
from thetahat_presentation.document import Table
from thetahat_presentation.expansion import expand_result
from thetahat_presentation.showing import show
from thetahat_presentation.wording import count_repetitions
from thetahat_service.pages.texts import write_duration

if TYPE_CHECKING:
    from thetahat_client.results import StudyResultDict

MAX_CAUTIONS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStudyView:
    """A kept study as its page shows it."""

    sentences: Sequence[str]
    """How many repetitions it has, and how many claims of its source hold."""
    facts: Sequence[tuple[str, str]]
    """What makes it again: names and texts."""
    command: str
    """The command that made it."""
    tables: Sequence[Table]
    """The claims and the numbers."""
    cautions: Sequence[str]
    """What to know before its numbers are used."""


def describe_kept_study(result: StudyResultDict) -> KeptStudyView:
    """Return what the page of a kept study shows."""
    stored = expand_result({**result})  # the file has the command and the seconds, too
    study = stored["study"]
    document = show(stored)
    main = document.find_section("main")
    messages = [
        restore(caution["code"], caution["message"]).message for caution in stored["cautions"]
    ]
    return KeptStudyView(
        sentences=[document.headline, *document.sentences],
        facts=[
            ("Repetitions", count_repetitions(study)),
            ("Processor time", write_duration(study.get("seconds"))),
            ("Seed", str(stored["provenance"]["seed"])),
            ("Release of thetahat", stored["provenance"]["version"]),
        ],
        command=stored.get("command", ""),
        tables=[] if main is None else main.tables,
        cautions=messages[:MAX_CAUTIONS],
    )

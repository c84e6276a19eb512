"""A submission to a Ladder on one holdout, and what is published after it."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.analyses.ladder import LadderState, add_submission
from thetahat.cautions import LADDER_PASSED_BY
from thetahat.errors import UnsupportedCombination
from thetahat.values.number_text import format_number
from thetahat.values.types import FloatArray
from thetahat_presentation.wording import name_method
from thetahat_service.kinds.ladder.result import PublishedScore


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LadderSubmission:
    """The losses of a model that is sent to a Ladder; no result has them."""

    model: str
    sha256: str
    """Digest of the data set."""
    target: str
    """Its column with the true values."""
    loss: str
    """The loss as canonical JSON."""
    loss_name: str
    step: float | None
    """The fixed step, if there is one."""
    losses: FloatArray

    def check_rule(self, loss: str, step: float | None) -> None:
        """Refuse another loss or another step than those of the first submission."""
        if (self.loss, self.step) == (loss, step):
            return
        fixed = "the step without a parameter" if step is None else f"the step {step:g}"
        raise UnsupportedCombination(
            f"The first submission to the Ladder on {self.target!r} has fixed its loss, "
            f"{loss}, and {fixed}: another one would publish more of the data set. Send these."
        )

    def add_to(self, state: LadderState | None) -> LadderState:
        """Return the Ladder with this submission."""
        return add_submission(state, self.losses, self.step)

    def publish(
        self, state: LadderState, earlier: LadderState | None, passed_by: int = 0
    ) -> PublishedScore:
        """Return what is published.

        ``state`` is the Ladder with this submission, and ``earlier`` that before it, None before
        the first; ``passed_by`` evaluations on the data set were no submissions.
        """
        has_changed = earlier is None or state.score != earlier.score
        score = format_number(state.score)
        change = "which this submission changed" if has_changed else "as before this submission"
        sentence = f"The published score is {score} ({name_method(self.loss_name)}), {change}."
        return PublishedScore(
            model=self.model,
            score=state.score,
            has_changed=has_changed,
            submissions=state.submissions,
            loss=self.loss_name,
            n=len(self.losses),
            target=self.target,
            step=self.step,
            sentence=sentence,
            cautions=(LADDER_PASSED_BY(n=passed_by),) if passed_by else (),
        )

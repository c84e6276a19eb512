"""The verdicts of a result as sentences."""

from __future__ import annotations

from thetahat_client.result_types import ModelsResult, list_comparisons
from thetahat_client.results import PlanDict, VerdictDict
from thetahat_client.text.page import format_level


def list_verdicts(result: ModelsResult) -> list[str]:
    """Return one sentence per pair of models, and what would settle an undecided one."""
    return [_write_verdict(pair["verdict"]) for pair in list_comparisons(result)]


def _write_verdict(verdict: VerdictDict) -> str:
    """Return the sentence about one pair: the decision, its reason and the plan."""
    sentence = f"{describe_decision(verdict).upper()}  {_remove_stop(str(verdict['reason']))}."
    if "plan" not in verdict:  # in brief
        return sentence
    if plan := verdict["plan"]:
        sentence += f" {plan.get('sentence') or _describe_older_plan(plan)}"
    elif reason := verdict.get("plan_reason"):
        sentence += f" No plan: {_remove_stop(reason)}."
    return sentence


def _describe_older_plan(plan: PlanDict) -> str:
    """Return the sentence of a plan in a result of an older release, which has none."""
    return (
        f"If the true difference is {plan['assumed_difference']:.4g}, {plan['total']} "
        f"{plan['unit']} ({plan['additional']} more) give a chance of "
        f"{format_level(plan['power'])} to show it."
    )


def describe_decision(verdict: VerdictDict) -> str:
    """Return the decision in words, such as ``not worse``."""
    return str(verdict["decision"]).replace("_", " ")


def _remove_stop(sentence: str) -> str:
    return sentence.rstrip().removesuffix(".")

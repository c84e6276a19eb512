"""One chunk of a cross-validation: some learners on some splits of the scheme, or extra fits."""

from __future__ import annotations

from thetahat.cross_validation import Group, pack, run_path
from thetahat.cross_validation.seeds import derive_fit_seed
from thetahat_service.kinds.cross_validation.plan import CrossValidationPlan, read_seed_number
from thetahat_service.kinds.fitting.engine import ChunkKey, GroupOutputs, apply_unless_failed
from thetahat_service.kinds.fitting.refits import is_refit_stage, run_refits


def run_group(plan: CrossValidationPlan, group: Group, key: ChunkKey) -> GroupOutputs:
    """Fit and test the learners of a group on the splits of a chunk."""
    seed = plan.job.seed
    if is_refit_stage(key.stage):
        return run_refits(plan.refits, group, key, plan.data, plan.loss, seed)
    splits = plan.scheme.splits(plan.rows, seed, start=key.start, stop=key.stop)
    fit_seed = derive_fit_seed(seed, read_seed_number(key.stage))
    keeps = plan.request.seeds == 1
    outcomes = run_path(group, plan.data, splits, plan.loss, fit_seed, keep_predictions=keeps)
    return {name: apply_unless_failed(outcome, pack) for name, outcome in outcomes.items()}

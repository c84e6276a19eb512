"""Penalties selected with weights by kernel mean matching and by KLIEP (Figure 8)."""

from thetahat_replications.presets.importance_kernel_weights.preset import ImportanceKernelWeights

PRESET = ImportanceKernelWeights

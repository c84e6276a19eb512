"""What lets others compute a result again: bundles, their verification, and notebooks."""

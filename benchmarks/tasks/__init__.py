"""The tasks that are measured: each module has ``measure_rows(bench)``, which yields rows."""

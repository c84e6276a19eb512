"""The REST service: HTTP API, storage, jobs, and the kinds of evaluation."""

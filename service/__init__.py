"""The face and the memory: HTTP, storage, jobs."""

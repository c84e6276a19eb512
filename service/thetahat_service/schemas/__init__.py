"""The JSON of requests and responses: pydantic models, and schemas of results."""

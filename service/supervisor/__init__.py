"""One command that starts the API, the workers and the embedded broker, and stops them."""

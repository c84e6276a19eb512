"""One package for each kind of analysis, named after the ``kind`` of a request."""

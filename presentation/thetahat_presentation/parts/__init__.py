"""Parts of documents that several kinds share."""

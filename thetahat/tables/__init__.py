"""Rows to learn from: columns, features, sparse matrices, class labels and time stamps."""

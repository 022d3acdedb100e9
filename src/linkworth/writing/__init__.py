"""Output of text and files: names that are not plain text, JSON, CSV cells, and the files that a user names."""

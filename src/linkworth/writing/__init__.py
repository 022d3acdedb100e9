"""How text and files leave linkworth: names that are not plain text, JSON, CSV cells, and the files that a user names."""

"""Study files: how they are read, checked and filled in."""

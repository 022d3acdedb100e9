"""The sections of a study's report, one a file; each is there only where the study holds what it shows."""

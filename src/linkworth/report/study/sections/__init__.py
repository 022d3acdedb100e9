"""Sections of a study's report, one in each file; each appears only if the study has data for it."""

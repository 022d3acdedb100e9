"""Report of a study: tables and figures from its records, as one page and as files for a paper."""

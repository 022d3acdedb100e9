"""Start, observation and stop of jobs."""

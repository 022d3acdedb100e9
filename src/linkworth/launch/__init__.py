"""How a job starts, is watched and is stopped."""

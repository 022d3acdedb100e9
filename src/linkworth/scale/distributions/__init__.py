"""Messages as distributions, for programs whose calls follow no rule."""

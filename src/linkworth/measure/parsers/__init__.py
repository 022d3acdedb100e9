"""What programs say of themselves in their output, one parser a family of programs."""

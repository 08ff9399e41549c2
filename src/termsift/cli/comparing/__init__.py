"""The command that compares, and its options."""

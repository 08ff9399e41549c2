"""The engine of what is in memory: matrices, data frames and texts."""

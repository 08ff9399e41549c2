"""The engine of files: read as a stream, counted in batches, within a bound of memory."""

"""The readers of formats: each a function from a file and what is wanted of it to Arrow batches."""

"""The readers of formats by Spark: each a function from files and what is wanted of them to a DataFrame."""

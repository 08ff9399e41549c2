"""What is wanted of a recommendation, and what it costs."""

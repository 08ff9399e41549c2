"""A summary as one HTML page: templates, data for the script, style sheet and script."""

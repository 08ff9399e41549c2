"""What a report shows, as plain values: no markup, no chart."""

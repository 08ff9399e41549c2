"""How the documents of a comparison are split: what is known of them, and the runs that follow."""

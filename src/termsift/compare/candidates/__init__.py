"""What a comparison tries: rankers of terms, features made of them, and readings of texts."""

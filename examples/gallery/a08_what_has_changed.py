"""
Differences between two corpora
===============================

Two lists of texts without labels: the words that the new one uses significantly more often.
"""

import random

import termsift as ts

rng = random.Random(7)
said = ["the order arrived", "where is my order", "please cancel", "thank you", "the box was open"]
new = [
    " ".join(rng.choices(said, k=2)) + (" the app crashes" if rng.random() < 0.2 else "") for _ in range(300)
]
old = [" ".join(rng.choices(said, k=2)) for _ in range(300)]
found = ts.diff(new, old)
print(found.more(5))

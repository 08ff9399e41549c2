"""
Audit of labelled data
======================

Duplicates, label variants and leaking tokens, found before training.
"""

import random

import termsift as ts

rng = random.Random(3)
said = {
    "spam": ["win a prize", "free cash now", "claim your gift"],
    "ham": ["lunch at noon", "see you later", "call me"],
}
rows = []
for i in range(60):
    label = "spam" if i % 2 else "ham"
    words = " ".join(rng.choices(said[label], k=3)) + f" number {rng.randrange(999)}"
    rows.append((words + (" via bulkmail" if label == "spam" else ""), "Spam" if i == 7 else label))
rows.append((rows[0][0], "spam"))
found = ts.audit([text for text, _ in rows], [label for _, label in rows])
print(found.summary)

# %%
found["leaking_tokens"]

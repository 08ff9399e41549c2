"""
Terms that do not say the same
==============================

The words of a phrase occur in the same documents, so the best terms may say one thing several times.
A selector that looks at documents takes each term for what it adds.
"""

import termsift as ts

texts = [
    "hong kong shares",
    "hong kong trade",
    "hong kong bank",
    "palm oil",
    "olive oil",
    "oil shares",
    "bank trade",
]
labels = ["asia", "asia", "asia", "food", "food", "food", "asia"]
vectorizer = ts.TermVectorizer()
X, words = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
print("ig:  ", *words[ts.TermSelector("ig", k=3).fit(X, labels).selection_])
for criterion in ("mrmr", "jmi", "cmim"):
    selector = ts.RedundancyAwareSelector(criterion, k=3).fit(X, labels)
    print(f"{criterion:5}", *words[selector.selection_])

"""
Terms that complement each other
================================

The words of a phrase occur in the same documents, so the best terms may be redundant.
A redundancy-aware selector values each term by the information it adds.
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

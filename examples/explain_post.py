"""Why a post of 20 Newsgroups was classed so, word by word.

Class weights turn a post into 20 numbers, one a group, and naive Bayes decides by them. Both are linear in
the words, so the decision is a sum over words: what each gives for the group decided, against another.

    python examples/explain_post.py 5441 5467
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
from termsift._internal.tables import Table

POSTS = (5441, 5467)


def main(posts: list[int]) -> None:
    """Print the explanation of some posts of the test part."""
    corpus = ts.corpora.load("20news", remove=["headers", "footers", "quotes"])
    train, test = corpus.part("train"), corpus.part("test")
    vectorizer = ts.TermVectorizer(min_df=3, stop_words="english")
    X = vectorizer.fit_transform(train.texts)
    words = vectorizer.get_feature_names_out()
    extractor = ts.ClassWeightExtractor().fit(X, train.labels)
    bayes = MultinomialNB().fit(extractor.transform(X), train.labels)
    for number in posts:
        print(f"Post {number}, of {test.labels[number]}:\n")
        print(" ".join(test.texts[number].split()) + "\n")
        explain(vectorizer.transform([test.texts[number]]), test.labels[number], extractor, bayes, words)


def explain(document, truth: str, extractor: ts.ClassWeightExtractor, bayes: MultinomialNB, words) -> None:
    """Print the largest features of a post, and the words that decided."""
    features = extractor.transform(document)
    chances = bayes.predict_proba(features)[0]
    order = np.argsort(-chances)
    decided = extractor.classes_[order[0]]
    rival = extractor.classes_[order[1]] if decided == truth else truth
    print(
        Table(
            {
                "group": extractor.classes_[order[:5]],
                "feature": features[0, order[:5]],
                "chance": chances[order[:5]],
            }
        )
    )
    print(f"\nDecided: {decided}, rather than {rival}, because of\n")
    print(evidence(document, extractor, bayes, words, decided, rival).head(10), end="\n\n")


def evidence(document, extractor, bayes: MultinomialNB, words, decided: str, rival: str) -> Table:
    """Return the words of a post: their share in both groups, and their log odds for the predicted one."""
    a, b = (extractor.counts_.class_index(name) for name in (decided, rival))
    by_class = extractor.contributions(document) @ bayes.feature_log_prob_.T
    odds = by_class[:, a] - by_class[:, b]
    order = np.argsort(-odds, kind="stable")
    order = order[odds[order] != 0]
    shares = extractor.weights_[order].toarray()
    counts = document[0, order].toarray()[0]
    return Table(
        {
            "word": words[order],
            "times": counts,
            decided: shares[:, a],
            rival: shares[:, b],
            "log odds": odds[order],
        }
    )


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or list(POSTS))

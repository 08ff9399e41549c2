"""
In a scikit-learn pipeline
==========================

Terms are selected inside each fold, and a grid search finds metric and number of terms.
"""

from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import termsift as ts

corpus = ts.corpora.load("docstrings")
kept = [
    i for i, label in enumerate(corpus.labels) if label in ("asyncio", "unittest", "datetime", "statistics")
]
texts, labels = [corpus.texts[i] for i in kept], [corpus.labels[i] for i in kept]
model = make_pipeline(ts.TermVectorizer(), ts.TermSelector(), MultinomialNB())
search = GridSearchCV(model, {"termselector__metric": ["ig", "bns"], "termselector__k": [20, 100, 400]}, cv=3)
search.fit(texts, labels)
for settings, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{settings['termselector__metric']:4} {settings['termselector__k']:4} terms: accuracy {score:.3f}")

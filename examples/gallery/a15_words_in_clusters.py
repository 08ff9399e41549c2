"""
Clusters of words
=================

Words with similar distributions over the classes become one feature:
a few readable features from all words.
"""

import termsift as ts

corpus = ts.corpora.load("docstrings")
vectorizer = ts.TermVectorizer(min_df=5)
X = vectorizer.fit_transform(corpus.texts)
clusters = ts.WordClusterExtractor(n_clusters=25).fit(X, corpus.labels)
for name in list(clusters.get_feature_names_out(vectorizer.get_feature_names_out()))[:12]:
    print(name)

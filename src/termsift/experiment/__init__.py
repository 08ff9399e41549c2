"""An experiment judges selections on folds: documents, folds, classifiers along a ranking, goals.

Documents are counted once per fold; a method ranks the fold's terms; a classifier is fitted along the
ranking; its margins become decisions, and decisions a `Confusion`, from which goals are read.
A comparison is an experiment with the user's question, a study one with a paper's.
"""

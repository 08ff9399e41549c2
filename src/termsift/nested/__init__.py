"""Classifiers fitted along a ranking: every number of terms from the one before."""

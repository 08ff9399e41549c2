"""Readers of general formats: ARFF, svmlight, SGML, MATLAB."""

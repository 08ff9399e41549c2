"""Readers of general formats: ARFF, svmlight, folders, SGML, MATLAB; archives are read in memory."""

"""
What a metric favours
=====================

The contours of two metrics over the rates of a term inside and outside a class, whatever the data.
Information gain prefers terms of many documents; Bi-Normal Separation gives more to rare ones.
"""

from termsift.report.charts import landscape

picture_of_gain = landscape("ig", positives=50, negatives=1750, levels=8)

# %%
picture_of_separation = landscape("bns", positives=50, negatives=1750, levels=8)

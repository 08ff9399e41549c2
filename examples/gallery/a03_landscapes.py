"""
Landscapes of metrics
=====================

Contours of two metrics over the rates of a term inside and outside a class, for any data.
Information gain prefers frequent terms; Bi-Normal Separation gives more weight to rare ones.
"""

from termsift.report.charts import landscape

picture_of_gain = landscape("ig", positives=50, negatives=1750, levels=8)
picture_of_gain

# %%
picture_of_separation = landscape("bns", positives=50, negatives=1750, levels=8)
picture_of_separation

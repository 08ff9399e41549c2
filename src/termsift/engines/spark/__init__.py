"""The engine of Spark: the kernel runs on the cluster's partitions, and only sums come back.

partition.py is what a worker runs; rows.py says how sums travel; counting.py is the job;
levels.py makes sums of weights exact; frames.py checks what comes in; session.py starts Spark.
"""

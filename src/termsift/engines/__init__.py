"""Engines turn a corpus into counts, a folder each: memory, files, Spark. They alone touch documents."""

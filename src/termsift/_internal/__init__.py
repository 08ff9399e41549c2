"""Shared infrastructure: errors, tables, files, rankings, threads and kernel compilation."""

from __future__ import annotations

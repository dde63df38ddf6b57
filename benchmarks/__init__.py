"""Ours beside what people would otherwise use: `python -m benchmarks` prints one table."""

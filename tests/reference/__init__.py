"""Brute force in plain Python; nothing of the code that it checks is imported."""

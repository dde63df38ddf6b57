"""Mutation testing: are the tests good enough to notice a small change? See docs/mutation.md."""

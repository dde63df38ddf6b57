"""Mechanisms that run, over abstract participants; money moves through one ledger."""

"""Definitions, exact solvers and checkers: pure functions of their arguments."""

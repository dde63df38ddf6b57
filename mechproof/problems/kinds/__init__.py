"""Kinds of problems: a module or package each, which defines ``KIND``; its name is the kind's."""

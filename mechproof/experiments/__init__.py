"""Experiments of papers, run from their definitions: rows that can be resumed, tables, figures."""

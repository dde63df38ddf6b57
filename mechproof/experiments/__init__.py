"""Experiments of papers, run from their definitions: rows that can be resumed, tables, figures."""

from mechproof.shadowing import refuse_hidden

refuse_hidden("theory", "mechanisms")

"""Experiments of papers, run from their definitions: rows that can be resumed, tables, figures."""

from mechproof.hidden_packages import refuse_hidden

refuse_hidden("theory", "mechanisms")

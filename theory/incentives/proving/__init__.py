"""Proofs about mechanisms: their code is run on symbols, and a solver decides what comes out."""

from theory.incentives.proving._piecewise import Piece, Piecewise
from theory.incentives.proving._prove import prove_mechanism

__all__ = ["Piece", "Piecewise", "prove_mechanism"]

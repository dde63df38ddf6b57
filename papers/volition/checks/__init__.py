"""The checks behind the claims of `volition`: families, predicates, proofs; one idea a file."""

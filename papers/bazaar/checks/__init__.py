"""The checks behind the claims of `bazaar`: families, predicates, proofs; one idea a file."""

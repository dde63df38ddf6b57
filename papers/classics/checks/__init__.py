"""The checks behind the claims of `classics`: families, predicates, proofs; one idea a file."""

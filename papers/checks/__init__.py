"""The checks behind the claims: families, predicates, proofs; one idea a file."""

"""The checks behind the claims of `arena`: families, predicates, proofs; one idea a file."""

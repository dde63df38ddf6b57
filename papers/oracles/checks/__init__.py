"""The checks behind the claims of `oracles`: families, predicates, proofs; one idea a file."""

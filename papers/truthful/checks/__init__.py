"""The checks behind the claims of `truthful`: families, predicates, proofs; one idea a file."""

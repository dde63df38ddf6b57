"""Documents in JSON and TOML: read exactly, given the types of a problem, described by a schema."""

"""The claims of the papers, paper by paper: each module has a tuple ``CLAIMS``."""

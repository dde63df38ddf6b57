"""The claims of the papers, paper by paper: each module or package has a tuple ``CLAIMS``."""

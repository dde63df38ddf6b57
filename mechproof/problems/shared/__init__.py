"""What several kinds of problems state, count before they work, and answer."""

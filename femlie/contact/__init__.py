"""Contact of beams: search, gaps, multipliers."""

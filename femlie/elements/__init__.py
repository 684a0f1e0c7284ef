"""Blocks of like elements: local residual and tangent."""

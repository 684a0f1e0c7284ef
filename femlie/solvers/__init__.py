"""Solvers: each chooses the next state."""

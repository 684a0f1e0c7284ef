"""Lie groups of rotations and rigid motions; knows no mechanics."""

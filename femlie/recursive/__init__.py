"""The equations of a model along a tree: relative coordinates, O(n) recursions."""

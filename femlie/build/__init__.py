"""From parts on a mesh to numbered unknowns: one module a step."""

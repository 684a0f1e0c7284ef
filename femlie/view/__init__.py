"""Pictures and films of results; the only importer of pyvista and matplotlib."""

from .coloring import Color as Color
from .history import plot_history as plot_history
from .look import Look as Look
from .movie import animate as animate
from .picture import Picture as Picture
from .picture import plot as plot

"""HDF5 files of results; the only importer of h5py."""

from .reading import Stored, read_analysis, read_checkpoint, read_stored
from .writing import ResultsWriter, save_stored

__all__ = [
    "ResultsWriter",
    "Stored",
    "read_analysis",
    "read_checkpoint",
    "read_stored",
    "save_stored",
]

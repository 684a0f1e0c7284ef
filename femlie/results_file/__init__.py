"""HDF5 files of results; the only importer of h5py."""

from .reading import Stored, StoredRun, read_checkpoint, read_run, read_stored
from .writing import ResultsWriter, check_writable, save_stored

__all__ = [
    "ResultsWriter",
    "Stored",
    "StoredRun",
    "check_writable",
    "read_checkpoint",
    "read_run",
    "read_stored",
    "save_stored",
]

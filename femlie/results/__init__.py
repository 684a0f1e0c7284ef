"""What happened in a run, by name and time; save and load."""

from ..records import Records, concatenate_records, layout_of
from ..results_file import ResultsWriter, read_checkpoint
from .contacts import ContactResults
from .energies import Energies
from .joints import JointForces
from .loading import load_results
from .results import Results
from .tables import What, moving_nodes

__all__ = [
    "ContactResults",
    "Energies",
    "JointForces",
    "Records",
    "Results",
    "ResultsWriter",
    "What",
    "concatenate_records",
    "layout_of",
    "load_results",
    "moving_nodes",
    "read_checkpoint",
]

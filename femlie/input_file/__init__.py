"""Model files: TOML with one table a part, whose keys are the fields of the parts.

The only place where strings choose types. Next to the parts a file holds:

``mesh``
    A path, a table with the arguments of `mesh_from_arrays`, or with one key, ``line``
    (`straight_line`), ``curve`` (`mesh_from_curve`) or ``lattice``
    (`cubic_lattice`); a list of these is joined.
``[urdf]``
    The arguments of `read_urdf`; parts of the file are added to the robot's.
``material.NAME``, ``section.NAME``
    Sections have a ``shape`` and refer to materials and other sections by name.
``sensor.NAME``
    Sensors have a ``kind``.
``[analysis]``
    ``method``, the fields of the solver and the arguments of its ``solve``.
"""

from .model_file import Analysis, ModelFile
from .reader import read_model
from .writer import write_model

__all__ = ["Analysis", "ModelFile", "read_model", "write_model"]

"""femlie: finite elements for flexible multibody systems on SE(3).

Names are loaded on first use, so that importing the package costs little.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    ".errors": (
        "ConvergenceError",
        "FemlieError",
        "FunctionError",
        "InputFileError",
        "MeshError",
        "ModelError",
        "ResultsError",
        "ViewError",
    ),
    ".mesh": (
        "BOX",
        "CAPSULE",
        "CYLINDER",
        "MassProperties",
        "Mesh",
        "PLANE",
        "SPHERE",
        "SURFACE",
        "ShapeKind",
        "SimpleShape",
        "Solid",
        "Surface",
        "box",
        "combine",
        "cylinder",
        "join_meshes",
        "mass_properties",
        "mesh_from_arrays",
        "mesh_from_curve",
        "read_mesh",
        "read_surface",
        "sphere",
        "straight_line",
        "cubic_lattice",
    ),
    ".sections": (
        "CircularSection",
        "GeneralSection",
        "ISection",
        "Material",
        "RectangularSection",
        "SectionOrder",
        "StationTable",
        "TaperedSection",
        "TubeSection",
    ),
    ".model": ("Model",),
    ".parts": (
        "Beam",
        "Body",
        "Bushing",
        "Contact",
        "Controller",
        "EndRelease",
        "Force",
        "FrameGroup",
        "Gravity",
        "InitialMotion",
        "Joint",
        "LineLoad",
        "ModalBody",
        "PointMass",
        "RigidLink",
        "Shape",
        "SpringDamper",
        "Support",
        "UserElement",
    ),
    ".parts.structure": (
        "AUTO",
        "Curve",
        "MotionGroup",
        "RestShape",
        "SE3",
        "SMOOTH",
        "SO3_R3",
        "STRAIGHT",
    ),
    ".parts.time": ("Interpolation", "LINEAR", "MONOTONE", "Motion", "Table"),
    ".parts.connections": (
        "CLAMPED",
        "CUSTOM",
        "GROUND",
        "GUIDED",
        "HINGED",
        "JointCoordinate",
        "Friction",
        "JointSpring",
        "Motor",
        "PINNED",
        "ROLLER",
        "SLIDING",
        "Stop",
        "SupportKind",
    ),
    ".elements.joint": ("JointKind",),
    ".elements.user": ("Contribution", "Element", "Local"),
    ".sensors": (
        "EnergySensor",
        "JointSensor",
        "PointSensor",
        "Quantity",
        "ReactionSensor",
        "RelativeSensor",
        "SectionForce",
        "SectionForceSensor",
        "SectionPlace",
    ),
    ".solvers.static": ("Static",),
    ".solvers.generalized_alpha": ("GeneralizedAlpha",),
    ".solvers.bliedf": ("BLieDF",),
    ".solvers.formulation": ("ABSOLUTE", "Formulation", "TREE"),
    ".solvers.gauss_legendre": ("GaussLegendre", "RotationForm", "StageIteration"),
    ".solvers.munthe_kaas": ("MuntheKaas",),
    ".solvers.modal": ("Modal",),
    ".solvers.rattle": ("Rattle",),
    ".solvers.schedule": ("Direction", "Event", "Output", "StopWhen"),
    ".solvers.tableaus": ("RungeKutta", "Tableau"),
    ".solvers.tree": ("Tree",),
    ".solvers.tree_assembly": ("assemble", "inverse_kinematics"),
    ".solvers.tree_coordinates": ("TreeMotion", "TreeState"),
    ".results": ("Results", "load_results"),
    ".export": ("export_csv", "export_vtu"),
    ".units": ("Units",),
    ".view": ("Look", "animate", "plot", "plot_history"),
    ".sweeps": ("sweep",),
    ".urdf": ("UrdfFeature", "read_urdf"),
    ".input_file": ("Analysis", "read_model", "write_model"),
    ".compare": ("Comparison", "compare", "save_comparison"),
}
_JOINT_KINDS = (
    "CYLINDRICAL",
    "DISTANCE",
    "FIXED",
    "PLANAR",
    "POINT_ON_LINE",
    "POINT_ON_PLANE",
    "PRISMATIC",
    "REVOLUTE",
    "SCREW",
    "SPHERICAL",
    "UNIVERSAL",
)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF, *_JOINT_KINDS, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _JOINT_KINDS:
        value = importlib.import_module(".elements.joint", __name__).JointKind[name]
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name], __name__), name)
    else:
        # Python asks for names of its own; others may be misspelt
        from .errors import suggestion

        near = suggestion(name, __all__).rpartition("Did you mean")
        hint = f" {near[1]}{near[2]}" if near[1] else ""
        message = f"femlie has no name '{name}'.{hint}"
        raise AttributeError(message)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

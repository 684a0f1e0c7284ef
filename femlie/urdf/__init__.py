"""Robots from URDF files: links become bodies, joints stay joints."""

from .file import UrdfFeature
from .read import read_urdf

__all__ = ["UrdfFeature", "read_urdf"]

"""Materials and cross-sections: the 6x6 stiffness, mass and damping per length."""

from femlie.sections.base import Section, UniformSection
from femlie.sections.constants import SectionConstants
from femlie.sections.general import GeneralSection, SectionOrder
from femlie.sections.material import Material
from femlie.sections.shapes import (
    CircularSection,
    ISection,
    RectangularSection,
    TubeSection,
)
from femlie.sections.variable import StationTable, TaperedSection

__all__ = [
    "CircularSection",
    "GeneralSection",
    "ISection",
    "Material",
    "RectangularSection",
    "Section",
    "SectionConstants",
    "SectionOrder",
    "StationTable",
    "TaperedSection",
    "TubeSection",
    "UniformSection",
]

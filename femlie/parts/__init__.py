"""What a user can say: frozen records, one class a kind of part."""

from .connections import EndRelease, Joint, Support
from .contact import Contact
from .loads import Controller, Force, Gravity, LineLoad
from .shapes import Shape
from .structure import (
    Beam,
    Body,
    Bushing,
    FrameGroup,
    InitialMotion,
    ModalBody,
    PointMass,
    RigidLink,
    SpringDamper,
    UserElement,
)

PART_KINDS = (
    Beam,
    ModalBody,
    Body,
    PointMass,
    RigidLink,
    SpringDamper,
    Bushing,
    UserElement,
    InitialMotion,
    FrameGroup,
    Joint,
    Support,
    EndRelease,
    Force,
    LineLoad,
    Gravity,
    Controller,
    Shape,
    Contact,
)

"""Sensors: what a user wants to follow, and its numbers."""

from .parts import (
    EnergySensor,
    JointSensor,
    PointSensor,
    Quantity,
    ReactionSensor,
    RelativeSensor,
    SectionForce,
    SectionForceSensor,
    SectionPlace,
    Sensor,
)
from .reading import PreparedSensor, check_sensor, evaluate_sensor, prepared

__all__ = [
    "EnergySensor",
    "JointSensor",
    "PointSensor",
    "PreparedSensor",
    "Quantity",
    "ReactionSensor",
    "RelativeSensor",
    "SectionForce",
    "SectionForceSensor",
    "SectionPlace",
    "Sensor",
    "check_sensor",
    "evaluate_sensor",
    "prepared",
]

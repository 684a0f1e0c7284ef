"""Which fields a shape part needs and takes."""

from __future__ import annotations

from ..errors import ModelError
from ..mesh import ShapeKind
from ..parts.shapes import Shape

# what each kind takes beside name, on, position; the first ones it needs
FIELDS: dict[ShapeKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    ShapeKind.PLANE: ((), ("axis",)),
    ShapeKind.SPHERE: (("radius",), ("inside",)),
    ShapeKind.CYLINDER: (("radius",), ("length", "axis", "inside")),
    ShapeKind.CAPSULE: (("radius", "length"), ("axis",)),
    ShapeKind.BOX: (("size",), ("orientation",)),
    ShapeKind.SURFACE: (("surface",), ("surface_group", "orientation")),
}
SIZES = (
    "axis",
    "orientation",
    "radius",
    "length",
    "size",
    "inside",
    "surface",
    "surface_group",
)


def check_shape(part: Shape) -> None:
    """Refuse shapes with too much, too little or nothing that is solid.

    Raises
    ------
    ModelError
    """
    user = f"Shape '{part.name}'"
    needed, more = FIELDS[part.kind]
    given = [
        name
        for name in SIZES
        if getattr(part, name) is not None and getattr(part, name) is not False
    ]
    for name in needed:
        if name not in given:
            raise ModelError(f"{user} is a {part.kind.value} and needs a {name}.")
    for name in given:
        if name not in (*needed, *more):
            takes = ", ".join((*needed, *more, "position", "on"))
            raise ModelError(
                f"{user} is a {part.kind.value}, which has no {name}: it takes {takes}."
            )
    for name in ("radius", "length"):
        value = getattr(part, name)
        if value is not None and not value > 0.0:
            raise ModelError(
                f"{name} of {user} is {value:g}: expected a positive number."
            )
    if part.size is not None and not all(edge > 0.0 for edge in part.size):
        raise ModelError(
            f"size of {user} is {part.size}: expected three positive lengths."
        )
    if part.axis is not None and not any(part.axis):
        raise ModelError(
            f"axis of {user} is {part.axis}: expected three numbers that are not all "
            "zero."
        )

"""What is wrong with parts, and words that the message must have."""

from __future__ import annotations

from typing import Any

import numpy as np

import femlie as fl
from tests.unit.sample_parts import (
    ALONG,
    INFINITE,
    MOVE,
    NAN,
    ROUND,
    TABLE,
    body,
    bushing,
    contact,
    force,
    joint,
    modal,
    rod,
    spring,
    support,
)

TOO_LONG = fl.MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 5.0]))
MASSLESS = fl.GeneralSection(stiffness=np.eye(6))
Cases = dict[str, tuple[list[Any], list[str]]]

NAMES: Cases = {
    "unknown group of lines": ([rod(cells="rood")], ["rood", "rod"]),
    "unknown group of nodes": ([rod(), force(at="tap")], ["'force'", "tap", "tip"]),
    "unknown parent": ([rod(), joint(parent="bady")], ["'joint'", "bady"]),
    "unknown beam of a line load": (
        [rod(), fl.LineLoad("wind", on="beem", force=(1, 0, 0))],
        ["wind", "beem", "beam"],
    ),
    "unknown beam of a release": (
        [rod(), fl.EndRelease("pin", beam="beem", at="root")],
        ["pin", "beem", "beam"],
    ),
    "unknown part of gravity": (
        [rod(), fl.Gravity("weight", on=("baem",))],
        ["weight", "baem", "beam"],
    ),
    "a name instead of several": (
        [rod(), fl.Gravity("weight", on="beam")],
        ["on", "weight", "('beam',)"],
    ),
    "a part named twice": (
        [rod(), fl.Gravity("weight", on=("beam", "beam"))],
        ["weight", "beam", "twice"],
    ),
    "a node that nothing carries": (
        [rod(), force(at="alone")],
        ["'force'", "alone", "no beam"],
    ),
    "a name without letters": ([fl.Beam(" ", cells="rod", section=ROUND)], ["name"]),
    "a number in quotes": (
        [rod(), fl.PointMass("lump", at="tip", mass="1")],
        ["mass", "lump", "'1'", "number"],
    ),
    "a number for a name": (
        [rod(), fl.PointMass("lump", at=3, mass=1.0)],
        ["at", "lump", "3", "name", "group"],
    ),
    "a truth in words": ([rod(), force(follower="yes")], ["follower", "'yes'"]),
    "the name of the ground": (
        [fl.Beam("ground", cells="rod", section=ROUND)],
        ["ground"],
    ),
    "two nodes where one is meant": (
        [rod(), joint(child="both")],
        ["'joint'", "both", "one node", "2"],
    ),
    "a release where the beam does not end": (
        [rod(), fl.EndRelease("pin", beam="beam", at="post foot")],
        ["pin", "beam", "post foot"],
    ),
    "a release where nothing else is": (
        [rod(), fl.EndRelease("pin", beam="beam", at="tip")],
        ["pin", "nothing else", "support"],
    ),
    "lines that two beams cover": (
        [rod(), fl.Beam("other", cells="half", section=ROUND)],
        ["beam", "other", "one beam"],
    ),
    "a part that is none": ([object()], ["object", "no part"]),
    "a model without parts": ([], ["no beam"]),
    "contact of an unknown name": (
        [rod(), contact("beam", "beem")],
        ["'touch'", "beem", "beam"],
    ),
    "contact of three names": ([rod(), contact("beam", "beam", "beam")], ["two names"]),
    "contact of one name": (
        [rod(), fl.Contact("touch", between="beam")],
        ["between", "touch", "two names", "('beam', 'beam')"],
    ),
    "contact of nodes only": (
        [rod(), contact("root", "tip")],
        ["touch", "nodes only", "beam"],
    ),
    "contact of a body": (
        [rod(), body(), contact("beam", "body")],
        ["touch", "body", "no shape", "solid", "surface"],
    ),
    "contact of a rod that is not round": (
        [rod(section=MASSLESS), contact("beam", "beam")],
        ["touch", "beam", "GeneralSection", "radius"],
    ),
    "contact of negative radius": (
        [rod(), contact("beam", "beam", radius=-1.0)],
        ["radius", "touch", "-1", "more than zero"],
    ),
    "two radii of one rod": (
        [rod(), contact("beam", "beam"), fl.Contact("other", ("rod", "rod"), 0.5)],
        ["other", "0.5", "0.01", "give one"],
    ),
    "contact of a rod in a modal body": (
        [rod(), modal(), contact("beam", "beam")],
        ["touch", "beam", "modal body 'arm'"],
    ),
    "a link of one node": (
        [rod(), fl.RigidLink("link", at="tip")],
        ["link", "two nodes"],
    ),
}
LEAN = fl.GeneralSection(
    stiffness=np.eye(6), mass_matrix=np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
)
MODAL: Cases = {
    "weight of a beam in a modal body": (
        [rod(), modal(), fl.Gravity("weight", on=("beam",))],
        ["weight", "beam", "modal body 'arm'", "name that body"],
    ),
    "a modal body without beams": ([rod(), modal(beams=())], ["arm", "no beams"]),
    "an unknown beam of a modal body": (
        [rod(), modal(beams=("beem",))],
        ["arm", "beem", "beam"],
    ),
    "a modal body without interfaces": (
        [rod(), modal(interfaces=())],
        ["arm", "no interfaces", "nodes"],
    ),
    "an interface that is no node of the beams": (
        [rod(), modal(interfaces=("root", "post foot"))],
        ["arm", "post foot", "no node of its beams", "beam"],
    ),
    "an unknown interface": (
        [rod(), modal(interfaces=("root", "tap"))],
        ["arm", "tap", "tip"],
    ),
    "an interface named twice": (
        [rod(), modal(interfaces=("root", "both"))],
        ["arm", "twice"],
    ),
    "a beam in two modal bodies": (
        [rod(), modal(), fl.ModalBody("leg", beams=("beam",), interfaces=("tip",))],
        ["leg", "arm", "beam", "one of them"],
    ),
    "more modes than there are": (
        [rod(), modal(n_modes=19)],
        ["arm", "n_modes = 19", "18 modes"],
    ),
    "modes that are no number": ([rod(), modal(n_modes=1.5)], ["n_modes", "1.5"]),
    "fewer modes than none": ([rod(), modal(n_modes=-1)], ["n_modes", "-1"]),
    "a modal body without mass": (
        [rod(section=MASSLESS), modal(n_modes=0)],
        ["arm", "no mass", "density"],
    ),
    "a modal body that spins without inertia": (
        [rod(section=LEAN), modal(n_modes=0)],
        ["arm", "no inertia", "rotary"],
    ),
    "a modal body that hangs on nothing": (
        [
            rod(),
            fl.Beam("mast", cells="post", section=ROUND),
            modal(beams=("beam", "mast")),
        ],
        ["arm", "hangs on none", "interface"],
    ),
    "a force inside a modal body": (
        [rod(), modal(), fl.Force("push", at="rod", force=(1.0, 0.0, 0.0))],
        ["push", "inside modal body 'arm'", "interfaces"],
    ),
    "a joint inside a modal body": (
        [rod(), modal(interfaces=("tip",)), joint(child="root")],
        ["'joint'", "root", "inside modal body 'arm'", "interfaces"],
    ),
    "a mass inside a modal body": (
        [
            rod(),
            modal(interfaces=("tip",)),
            fl.PointMass("lump", at="root", mass=1.0),
        ],
        ["inside modal body 'arm'", "interfaces"],
    ),
    "a support inside a modal body": (
        [rod(), modal(interfaces=("tip",)), support()],
        ["'support'", "inside modal body 'arm'"],
    ),
    "drag of a modal body": (
        [rod(drag=1.0), modal()],
        ["beam", "drag", "arm", "leave it out"],
    ),
    "rest strain of a modal body": (
        [rod(rest_strain=(0.1, 0, 0, 0, 0, 0)), modal()],
        ["beam", "rest_strain", "arm"],
    ),
    "a release of a modal body": (
        [rod(), modal(), fl.EndRelease("pin", beam="beam", at="root")],
        ["pin", "beam", "arm"],
    ),
    "a follower on a modal body": (
        [
            rod(),
            modal(),
            fl.LineLoad("wind", on="beam", force=(0, 1, 0), follower=True),
        ],
        ["wind", "beam", "arm", "direction"],
    ),
}
GEOMETRY: Cases = {
    "orientation along the member": (
        [rod(orientation=(1.0, 0.0, 0.0))],
        ["beam", "parallel", "across"],
    ),
    "orientation zero": ([rod(orientation=(0.0, 0.0, 0.0))], ["orientation", "zero"]),
    "orientation of two numbers": ([rod(orientation=(1.0, 0.0))], ["three numbers"]),
    "offsets that eat the element": (
        [rod(start_offset=(0.25, 0.0, 0.0))],
        ["beam", "length", "offsets"],
    ),
    "straight rest shape of straight elements": (
        [rod(rest_shape=fl.RestShape.STRAIGHT)],
        ["rest_shape", "smooth"],
    ),
    "axis zero": ([rod(), joint(axis=(0, 0, 0))], ["axis", "'joint'", "zero"]),
    "first axis along the axis": (
        [rod(), support(kind=fl.ROLLER, first_axis=(0.0, 0.0, 2.0))],
        ["first_axis", "support", "parallel"],
    ),
    "second axis along the axis of a planar joint": (
        [rod(), joint(fl.PLANAR, second_axis=(0.0, 0.0, 2.0))],
        ["'joint'", "right angles"],
    ),
    "axes of a universal joint not at right angles": (
        [rod(), joint(fl.UNIVERSAL, second_axis=(0.0, 1.0, 1.0))],
        ["'joint'", "right angles"],
    ),
    "spring without length": (
        [rod(), spring(second_point=(0.0, 0.0, 0.0))],
        ["'spring'", "no length", "bushing"],
    ),
    "distance without length": (
        [rod(), joint(fl.DISTANCE, position=(1, 0, 0), child_position=(1, 0, 0))],
        ["distance", "positive", "spherical"],
    ),
    "distance with one point": ([rod(), joint(fl.DISTANCE)], ["child_position"]),
}
NUMBERS: Cases = {
    "negative mass": ([body(mass=-1.0)], ["mass", "'body'", "-1"]),
    "no mass at all": ([body(mass=0.0)], ["mass", "body", "positive"]),
    "point mass of nothing": (
        [rod(), fl.PointMass("lump", at="tip", mass=0.0)],
        ["lump", "positive"],
    ),
    "negative inertia": ([body(inertia=(1.0, 1.0, -1.0))], ["body", "negative"]),
    "inertia against the triangle rule": (
        [body(inertia=(1.0, 1.0, 5.0))],
        ["body", "triangle"],
    ),
    "inertia of a solid against the triangle rule": (
        [body(mass=None, inertia=None, solid=TOO_LONG)],
        ["body", "triangle"],
    ),
    "inertia of two numbers": ([body(inertia=(1.0, 1.0))], ["body", "3 numbers"]),
    "inertia that is not symmetric": (
        [body(inertia=((1, 1, 0), (0, 1, 0), (0, 0, 1)))],
        ["body", "symmetric"],
    ),
    "a force that is no number": ([rod(), force(force=(NAN, 0, 0))], ["force", "nan"]),
    "an infinite mass": ([body(mass=INFINITE)], ["mass", "inf"]),
    "inertia that is no number": ([body(inertia=(NAN, 1, 1))], ["inertia", "nan"]),
    "a force of two numbers": ([rod(), force(force=(1.0, 2.0))], ["three numbers"]),
    "negative stiffness": ([rod(), spring(stiffness=-1.0)], ["spring", "negative"]),
    "negative length of a spring": (
        [rod(), spring(length=-1.0)],
        ["length", "spring", "-1"],
    ),
    "negative drag": ([rod(drag=-1.0)], ["drag", "beam", "-1"]),
    "negative bushing": (
        [rod(), bushing(stiffness=(1, 1, 1, 1, 1, -1))],
        ["bushing", "negative"],
    ),
    "bushing of five numbers": ([rod(), bushing(stiffness=(1,) * 5)], ["6"]),
    "bushing that is not symmetric": (
        [rod(), bushing(stiffness=np.triu(np.ones((6, 6))).tolist())],
        ["bushing", "symmetric"],
    ),
    "rest strain of five numbers": ([rod(rest_strain=(0.0,) * 5)], ["six numbers"]),
    "held of five": (
        [rod(), support(kind=fl.CUSTOM, held=(True,) * 5)],
        ["support", "six"],
    ),
    "negative damping of a joint": (
        [rod(), joint(spring=fl.JointSpring(stiffness=1, damping=-1))],
        ["'joint'", "negative"],
    ),
    "a number in the motor that is none": (
        [rod(), joint(motor=fl.Motor(torque=NAN))],
        ["torque", "'joint'", "nan"],
    ),
    "a stop with limits the wrong way round": (
        [rod(), joint(stop=fl.Stop(lower=1.0, upper=-1.0, stiffness=1.0))],
        ["'joint'", "below"],
    ),
    "a stop without stiffness": (
        [rod(), joint(stop=fl.Stop(lower=-1.0, stiffness=0.0))],
        ["'joint'", "positive stiffness"],
    ),
    "a hard stop with damping": (
        [rod(), joint(stop=fl.Stop(lower=-1.0, damping=0.1))],
        ["'joint'", "hard", "damping 0.1"],
    ),
    "a soft stop with restitution": (
        [rod(), joint(stop=fl.Stop(lower=-1.0, stiffness=1.0, restitution=0.1))],
        ["'joint'", "only hard stops"],
    ),
    "a restitution above one": (
        [rod(), joint(stop=fl.Stop(lower=-1.0, restitution=1.1))],
        ["'joint'", "restitution", "1.1"],
    ),
    "a hard stop that the start is beyond": (
        [rod(), joint(stop=fl.Stop(lower=0.5))],
        ["'joint'", "starts at 0 rad", "lower limit 0.5"],
    ),
    "a hard stop against a motor": (
        [rod(), joint(stop=fl.Stop(lower=-0.5), motor=fl.Motor(motion=1.0))],
        ["'joint'", "motor with a motion", "hard stop"],
    ),
    "a friction of nothing": (
        [rod(), joint(friction=fl.Friction(limit=0.0))],
        ["'joint'", "limit 0", "positive"],
    ),
    "a friction without limit": (
        [rod(), joint(friction=fl.Friction(limit=float("inf")))],
        ["'joint'", "limit", "inf", "finite"],
    ),
    "a friction in words": (
        [rod(), joint(friction=fl.Friction(limit="a"))],  # type: ignore[arg-type]
        ["'joint'", "limit", "'a'", "expected a number"],
    ),
    "a static friction that is no number": (
        [rod(), joint(friction=fl.Friction(limit=1.0, static_limit=NAN))],
        ["'joint'", "static_limit", "nan", "finite"],
    ),
    "a friction whose coordinate is text": (
        [
            rod(),
            joint(
                friction=fl.Friction(limit=1.0, coordinate="angle")  # type: ignore[arg-type]
            ),
        ],
        ["'joint'", "coordinate", "'angle'", "JointCoordinate"],
    ),
    "a static friction below that in motion": (
        [
            rod(),
            joint(
                friction=fl.Friction(limit=2.0, static_limit=1.0, stribeck_speed=1.0)
            ),
        ],
        ["'joint'", "static_limit 1", "below limit 2"],
    ),
    "a static friction that never fades": (
        [rod(), joint(friction=fl.Friction(limit=1.0, static_limit=2.0))],
        ["'joint'", "stribeck_speed", "together"],
    ),
    "a friction that gives way backwards": (
        [rod(), joint(friction=fl.Friction(limit=1.0, presliding=-1.0))],
        ["'joint'", "presliding -1", "positive"],
    ),
    "a friction of a coordinate that is held": (
        [
            rod(),
            joint(friction=fl.Friction(limit=1.0, coordinate=fl.JointCoordinate.ALONG)),
        ],
        ["'joint'", "no coordinate 'along'", "angle"],
    ),
    "a table out of order": (
        [rod(), force(over_time=fl.Table(times=(0, 2, 1), values=(0, 1, 2)))],
        ["force", "increase", "2", "1"],
    ),
    "a table of unequal columns": (
        [rod(), force(over_time=fl.Table(times=(0, 1), values=(0, 1, 2)))],
        ["force", "2 times", "3 values"],
    ),
    "a table with a number that is none": (
        [rod(), force(over_time=fl.Table(times=(0, 1), values=(0, NAN)))],
        ["force", "finite"],
    ),
    "a table that is a number": ([rod(), force(over_time=2.0)], ["force", "Table"]),
    "a section that is a number": ([rod(section=3.0)], ["section", "beam", "float"]),
    "a kind in words": (
        [rod(), joint("revolute")],
        ["kind", "'joint'", "fl.REVOLUTE, "],
    ),
    "a support's kind in words": (
        [rod(), support(kind="pinned")],
        ["kind", "support", "fl.CLAMPED", "fl.SupportKind.PLANAR"],
    ),
    "a force that is not a number but text": (
        [rod(), force(force=("1", "2", "3"))],
        ["force", "three numbers"],
    ),
}
CONFLICTS: Cases = {
    "a joint between a thing and itself": (
        [rod(), joint(parent="root")],
        ["'joint'", "root", "itself"],
    ),
    "a joint within a rigid link": (
        [rod(), fl.RigidLink("link", at="both"), joint(parent="tip")],
        ["'joint'", "tied rigidly"],
    ),
    "a spring within one thing": ([rod(), spring(first="tip")], ["spring", "same"]),
    "a bushing within one thing": ([rod(), bushing(first="tip")], ["bushing", "same"]),
    "a spring to nowhere on the ground": (
        [rod(), spring(second=fl.GROUND)],
        ["spring", "ground", "point"],
    ),
    "a beam element within a body": (
        [rod(), body(at="rod")],
        ["both ends", "one rigid body"],
    ),
    "two clamps on one node": (
        [rod(), support(), fl.Support("second", at="root")],
        ["second", "another support"],
    ),
    "a motor both ways": (
        [rod(), joint(motor=fl.Motor(motion=1.0, torque=1.0))],
        ["'joint'", "either"],
    ),
    "a motor neither way": ([rod(), joint(motor=fl.Motor())], ["'joint'", "either"]),
    "a body with two masses": (
        [body(solid=fl.sphere(0.1, density=1.0))],
        ["body", "solid", "mass"],
    ),
    "a density without a surface": (
        [fl.Body("body", density=1000.0)],
        ["body", "density", "surface"],
    ),
    "a body without mass": ([fl.Body("body", position=(0, 0, 0))], ["body", "mass"]),
    "a body without inertia": ([fl.Body("body", mass=1.0)], ["body", "inertia"]),
    "motion along what is free": (
        [rod(), support(kind=fl.ROLLER, displacement=(1.0, 0.0, 0.0))],
        ["support", "free"],
    ),
    "a rotation of what turns freely": (
        [rod(), support(kind=fl.PINNED, rotation=(1.0, 0.0, 0.0))],
        ["support", "axis"],
    ),
    "a motion from a broken line": (
        [
            rod(),
            joint(
                motor=fl.Motor(
                    motion=1.0,
                    over_time=fl.Table(
                        times=(0, 1), values=(0, 1), interpolation=fl.LINEAR
                    ),
                )
            ),
        ],
        ["joint", "linear", "accelerations"],
    ),
    "two motors on one coordinate": (
        [rod(), joint(motor=(MOVE, fl.Motor(motion=2.0)))],
        ["'joint'", "two", "angle"],
    ),
}
NO_EFFECT: Cases = {
    "a force of nothing": ([rod(), force(force=(0, 0, 0))], ["force", "neither"]),
    "a point without force": (
        [rod(), force(force=(0, 0, 0), moment=(1, 0, 0), point=(1, 0, 0))],
        ["force", "point", "nothing"],
    ),
    "a line load of nothing": (
        [rod(), fl.LineLoad("wind", on="beam")],
        ["wind", "neither"],
    ),
    "projection without a force": (
        [rod(), fl.LineLoad("wind", on="beam", moment=(1, 0, 0), projected=True)],
        ["wind", "projected"],
    ),
    "gravity of nothing": (
        [rod(), fl.Gravity("weight", acceleration=(0, 0, 0))],
        ["weight", "acceleration"],
    ),
    "gravity on what has no mass": (
        [
            fl.Beam(
                "beam",
                cells="rod",
                section=fl.CircularSection(
                    radius=0.1, material=fl.Material(young=1.0, poisson=0.3)
                ),
            ),
            fl.Gravity("weight"),
        ],
        ["weight", "mass", "density"],
    ),
    "a spring of nothing": ([rod(), spring(stiffness=0.0)], ["spring", "neither"]),
    "a bushing of nothing": (
        [rod(), bushing(stiffness=(0,) * 6)],
        ["bushing", "neither"],
    ),
    "a joint's spring of nothing": (
        [rod(), joint(spring=fl.JointSpring())],
        ["'joint'", "neither"],
    ),
    "a stop without a limit": (
        [rod(), joint(stop=fl.Stop(stiffness=1.0))],
        ["'joint'", "limit"],
    ),
    "a pitch without a screw": ([rod(), joint(pitch=1.0)], ["'joint'", "pitch"]),
    "a screw without pitch": ([rod(), joint(fl.SCREW)], ["'joint'", "pitch"]),
    "a second axis of a hinge": (
        [rod(), joint(second_axis=(1, 0, 0))],
        ["'joint'", "second_axis", "universal"],
    ),
    "an axis of a distance": (
        [
            rod(),
            joint(
                fl.DISTANCE,
                axis=(1, 0, 0),
                position=(0, 0, 0),
                child_position=(1, 0, 0),
            ),
        ],
        ["'joint'", "axis", "distance"],
    ),
    "a motor on a ball": (
        [rod(), joint(fl.SPHERICAL, motor=MOVE)],
        ["'joint'", "no coord"],
    ),
    "a spring along a hinge": (
        [rod(), joint(spring=fl.JointSpring(stiffness=1, coordinate=ALONG))],
        ["'joint'", "along", "angle"],
    ),
    "a support that holds nothing": (
        [rod(), support(kind=fl.CUSTOM, held=(False,) * 6)],
        ["support", "nothing"],
    ),
    "held without custom": ([rod(), support(held=(True,) * 6)], ["support", "custom"]),
    "over_time of a support that stands": (
        [rod(), support(over_time=TABLE)],
        ["support", "over_time"],
    ),
    "rest strain over time without rest strain": (
        [rod(rest_strain_over_time=TABLE)],
        ["rest_strain"],
    ),
    "a motor's table alone": (
        [rod(), joint(motor=fl.Motor(over_time=TABLE))],
        ["'joint'", "either"],
    ),
    "a rigid release": (
        [rod(), fl.EndRelease("pin", beam="beam", at="root", kind=fl.FIXED)],
        ["pin", "fixed"],
    ),
    "a motion of nothing": (
        [rod(), fl.InitialMotion("start")],
        ["start", "velocity"],
    ),
    "a point of a motion without rotation": (
        [rod(), fl.InitialMotion("start", velocity=(1, 0, 0), about=(1, 0, 0))],
        ["start", "about", "angular_velocity"],
    ),
    "a point of a motion that is a function": (
        [rod(), fl.InitialMotion("start", velocity=lambda x: 0 * x, about=(1, 0, 0))],
        ["start", "about", "function"],
    ),
    "a length of a damper": (
        [rod(), spring(stiffness=0.0, damping=1.0, length=1.0)],
        ["spring", "length", "stiffness"],
    ),
    "a rest of a joint's damper": (
        [rod(), joint(spring=fl.JointSpring(damping=1.0, rest=0.1))],
        ["'joint'", "rest", "stiffness"],
    ),
    "a displacement of nothing": (
        [rod(), support(displacement=(0.0, 0.0, 0.0))],
        ["support", "displacement", "zero"],
    ),
}

CASES = {**NAMES, **MODAL, **GEOMETRY, **NUMBERS, **CONFLICTS, **NO_EFFECT}

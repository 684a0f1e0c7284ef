"""Questions about many states of a tree in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

from .._equations import copy, copy_rows, update_signals
from .._jit import shared
from ..elements.base import Array
from ..recursive._problem import DYNAMICS, PLACE, do
from ._tree_dynamics import accelerate, balance

FORWARD, INVERSE = range(2)


class Questions(NamedTuple):
    """States, and what is known of them; the first axis counts states."""

    times: Array  # (n,)
    frames: Array  # (n, n_bodies, 7)
    rates: Array  # (n, n_coordinates)
    second_rates: Array  # (n, n_coordinates) of held coordinates, or of all
    forces: Array  # (n, n_coordinates)
    loads: Array  # (n, n_bodies, 6)


class Answers(NamedTuple):
    """What follows."""

    second_rates: Array  # (n, n_coordinates)
    forces: Array  # (n, n_coordinates)
    driven_forces: Array  # (n, n_driven)
    wrenches: Array  # (n, n_bodies, 6) of the joints on their bodies
    multipliers: Array  # (n, m) of the loops
    poses: Array  # (n, n_frames, 7)
    velocities: Array  # (n, n_frames, 6)
    accelerations: Array  # (n, n_frames, 6)


@shared
def answer(equations, problem, questions, answers, question):
    """Fill the answers; returns how many states were answered."""
    motion = problem.motion
    for i in range(questions.times.shape[0]):
        motion.time[0] = questions.times[i]
        update_signals(equations, motion)
        copy_rows(problem.relative.frames, questions.frames[i])
        copy(problem.relative.rates, questions.rates[i])
        copy(problem.given, questions.second_rates[i])
        copy(problem.forces, questions.forces[i])
        copy_rows(problem.loads, questions.loads[i])
        motion.multipliers[:] = 0.0
        if question == FORWARD:
            if not accelerate(equations, problem):
                return i
        else:
            do(problem, DYNAMICS, PLACE)
            copy(problem.second_rates, problem.given)
        balance(equations, problem)
        copy(answers.second_rates[i], problem.second_rates)
        copy(answers.forces[i], problem.joint_forces)
        copy(answers.driven_forces[i], problem.driven_forces)
        copy_rows(answers.wrenches[i], problem.wrenches)
        copy(answers.multipliers[i], motion.multipliers)
        copy_rows(answers.poses[i], motion.poses)
        copy_rows(answers.velocities[i], motion.velocities)
        copy_rows(answers.accelerations[i], motion.accelerations)
    return questions.times.shape[0]

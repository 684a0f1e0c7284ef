"""Arguments of the command line and what each command calls.

Everything heavy is imported by the command that needs it, so that help comes at once.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import FemlieError
from .screen import BAD_INPUT, DONE, INTERRUPTED, say, show

# the words of `femlie.view.Color`, kept here because that module is slow to import
COLORS = (
    "part",
    "displacement",
    "speed",
    "axial_force",
    "shear_y",
    "shear_z",
    "shear_force",
    "torsion",
    "bending_y",
    "bending_z",
    "bending_moment",
    "contact_pressure",
)
DEFAULT_COLOR = "displacement"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands behind ``femlie``; default: ``sys.argv``.

    Returns
    -------
    int
        0 done, 1 not converged (what was reached is saved), 2 bad input, 130 stopped
        with Ctrl-C.
    """
    options = parser().parse_args(arguments)
    try:
        code: int = options.command(options)
        sys.stdout.flush()
    except FemlieError as error:
        say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        say("stopped by the user.")
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read our output has gone; nothing more can be written there
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        name = f"'{error.filename}': " if error.filename else ""
        say(f"{name}{error.strerror or error}.")
        return BAD_INPUT
    return code


class _Version(argparse.Action):
    """Print the version of the installed package."""

    def __call__(self, parser: argparse.ArgumentParser, *_unused: Any) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("femlie")
        except PackageNotFoundError:
            number = "(not installed)"
        show(f"femlie {number}")
        parser.exit(DONE)


def parser() -> argparse.ArgumentParser:
    """Parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="femlie",
        description="Flexible multibody systems: check, run and look at models.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _add_model_commands(commands)
    _add_results_commands(commands)
    _add_compare(commands)
    warmup = commands.add_parser(
        "warmup", help="compile everything now instead of in the first run"
    )
    warmup.set_defaults(command=_warmup)
    return top


def _add_model_commands(commands: Any) -> None:
    check = commands.add_parser(
        "check", help="read a model, print its summary and stop", allow_abbrev=False
    )
    run = commands.add_parser(
        "run", help="run the analysis of a model file", allow_abbrev=False
    )
    for command in (check, run):
        _add_model(command)
    check.set_defaults(command=_check)
    _add_run_options(run)
    run.set_defaults(command=_run, usage_error=run.error)


def _add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL.toml", type=Path)
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="replace a value of the file, e.g. analysis.time_step=1e-3 (may be given "
        "several times)",
    )


def _add_output(command: argparse.ArgumentParser, what: str, default: str) -> None:
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help=f"folder for the {what} (default: {default})",
    )
    command.add_argument(
        "--quiet", action="store_true", help="no progress on the screen"
    )


def _add_run_options(run: argparse.ArgumentParser) -> None:
    _add_output(run, "results", "MODEL_results")
    run.add_argument(
        "--picture", type=Path, metavar="FILE.png", help="picture of the last state"
    )
    run.add_argument(
        "--color", choices=COLORS, help=f"of the picture (default: {DEFAULT_COLOR})"
    )
    earlier = run.add_mutually_exclusive_group()
    earlier.add_argument(
        "--restart",
        type=Path,
        metavar="RESULTS.h5",
        help="go on from the last checkpoint of earlier results",
    )
    earlier.add_argument(
        "--start",
        type=Path,
        metavar="RESULTS.h5",
        help="begin a new run at the last state of earlier results, such as a motion "
        "at a static equilibrium",
    )


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare", help="run several methods side by side", allow_abbrev=False
    )
    _add_model(compare)
    _add_output(compare, "table and pictures", "MODEL_comparison")
    compare.add_argument(
        "--methods",
        required=True,
        metavar="NAME,...",
        help="methods, with settings behind colons: rattle,gauss_legendre:stages=3",
    )
    compare.add_argument(
        "--steps", required=True, metavar="STEP,...", help="time steps, e.g. 1e-3,5e-4"
    )
    compare.add_argument(
        "--reference",
        metavar="NAME",
        help="method, with settings behind colons, that the others are compared with, "
        "at half the shortest step (default: gauss_legendre:stages=3)",
    )
    compare.add_argument(
        "--duration", type=float, help="time span (default: that of the file)"
    )
    compare.set_defaults(command=_compare)


def _add_results_commands(commands: Any) -> None:
    view = commands.add_parser("view", help="look at results", allow_abbrev=False)
    view.add_argument("results", metavar="RESULTS.h5", type=Path)
    view.add_argument("--save", type=Path, metavar="FILE.png", help="write a picture")
    view.add_argument(
        "--animate", type=Path, metavar="FILE.gif", help="write a film (.gif, .mp4)"
    )
    view.add_argument("--color", choices=COLORS, default=DEFAULT_COLOR)
    view.add_argument(
        "--time",
        type=float,
        help="time or load factor of the picture (default: the last)",
    )
    view.add_argument(
        "--deformation-scale",
        type=_scale,
        default="auto",
        metavar="FACTOR",
        help="factor on displacements (default: auto)",
    )
    _add_units(view, "for titles of pictures (default: none are named)")
    view.set_defaults(command=_view, usage_error=view.error)
    _add_export(commands)
    info = commands.add_parser(
        "info", help="say what is in a mesh, surface, results or model"
    )
    info.add_argument("file", metavar="FILE", type=Path)
    info.set_defaults(command=_info)


def _add_export(commands: Any) -> None:
    export = commands.add_parser(
        "export", help="write results for other programs", allow_abbrev=False
    )
    export.add_argument("results", metavar="RESULTS.h5", type=Path)
    export.add_argument(
        "--vtu", type=Path, metavar="DIR", help="PVD series of ParaView"
    )
    export.add_argument("--csv", type=Path, metavar="DIR", help="tables")
    _add_units(export, "for the headers of --csv tables (default: m,N,s)")
    export.set_defaults(command=_export, usage_error=export.error)


def _add_units(command: argparse.ArgumentParser, use: str) -> None:
    command.add_argument(
        "--units",
        type=_units,
        metavar="LENGTH,FORCE,TIME",
        help=f"units of the model, {use}; numbers stay as they are",
    )


def _scale(text: str) -> float | str:
    if text == "auto":
        return text
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not math.isfinite(factor):
        message = f"expected a number or auto, got '{text}'"
        raise argparse.ArgumentTypeError(message)
    return factor


def _units(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(","))
    if len(words) != 3 or not all(words):
        message = f"expected three units such as mm,N,s, got '{text}'"
        raise argparse.ArgumentTypeError(message)
    return words


def _check(options: argparse.Namespace) -> int:
    from ..input_file import read_model
    from .report import model_report

    file = read_model(options.model, overrides=options.set)
    system = file.build()
    show(model_report(file, system))
    file.check(system)
    return DONE


def _run(options: argparse.Namespace) -> int:
    if options.color is not None and options.picture is None:
        options.usage_error("--color is that of a picture: add --picture FILE.png")
    options.color = options.color or DEFAULT_COLOR
    from .run import run

    return run(options)


def _compare(options: argparse.Namespace) -> int:
    from .compare import run

    return run(options)


def _view(options: argparse.Namespace) -> int:
    is_film_only = options.animate is not None and options.save is None
    if options.time is not None and is_film_only:
        options.usage_error("--time is that of a picture: add --save FILE.png")
    from .look import view

    return view(options)


def _export(options: argparse.Namespace) -> int:
    if options.vtu is None and options.csv is None:
        options.usage_error("expected --vtu DIR, --csv DIR or both")
    if options.units is not None and options.csv is None:
        options.usage_error("--units are those of tables: add --csv DIR")
    from ..export import export_csv, export_vtu
    from ..results import load_results
    from ..units import SI, Units

    results = load_results(options.results)
    if options.vtu is not None:
        show(str(export_vtu(results, options.vtu)))
    if options.csv is not None:
        units = SI if options.units is None else Units(*options.units)
        for path in export_csv(results, options.csv, units=units):
            show(str(path))
    return DONE


def _info(options: argparse.Namespace) -> int:
    from .report import file_report

    show(file_report(options.file))
    return DONE


def _warmup(options: argparse.Namespace) -> int:  # noqa: ARG001
    from .warmup import warm_up

    return warm_up()

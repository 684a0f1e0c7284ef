"""Habits of the code that no linter knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import REPOSITORY, Module, modules

MOST_LINES = 400
# of a function without its docstring; a kernel is one long loop
MOST_LINES_OF_FUNCTION, MOST_LINES_OF_KERNEL = 40, 120
KERNELS = {"kernel", "inline", "shared", "routine"}
# longer ones that wait to be split, with their lines: this list only gets shorter
LONG_FUNCTIONS = {
    "femlie.assembly._flatten": 45,
    "femlie.build.loads.weight_wrenches": 48,
    "femlie.build.modal_blocks.modal_block": 44,
    "femlie.build.modal_bodies.claim_beams": 42,
    "femlie.build.summary.model_summary": 42,
    "femlie.elements._modal_slopes.set_rate_slopes": 43,
    "femlie.linear._dissection.dissect": 59,
    "femlie.linear.fronts._places": 45,
    "femlie.linear.fronts.arrange_fronts": 89,
    "femlie.linear.frozen.arrange": 67,
    "femlie.recursive.structure._structure": 53,
    "femlie.recursive.structure.spanning_tree": 46,
    "femlie.solvers._rattle_driver.march_on": 181,
    "femlie.solvers.modal._modes": 42,
    "femlie.solvers.modal.solve": 51,
    "femlie.solvers.start.check_start": 42,
    "femlie.solvers.stepping.__init__": 46,
    "femlie.solvers.tree_problem.new_problem": 72,
}
EMPTY_NAMES = {"utils", "util", "common", "misc", "core", "helpers", "tools"}
ENDS_THE_PROCESS = {"sys.exit", "os._exit", "os.abort", "exit", "quit"}
MAY_END_THE_PROCESS = ("cli", "__main__")
# what an `__init__.py` may hold besides imports: names loaded when first asked for
LAZY = {"__getattr__", "__dir__"}

every_module = pytest.mark.parametrize(
    "module", modules().values(), ids=lambda m: m.name
)


def public_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def is_dataclass(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        ast.unparse(decorator).startswith("dataclass")
        for decorator in node.decorator_list
    )


def public_dataclasses(folder: str) -> list[tuple[Module, ast.ClassDef]]:
    return [
        (module, node)
        for module in modules().values()
        if module.family == folder
        for node in module.tree.body
        if is_dataclass(node)
        and isinstance(node, ast.ClassDef)
        and not node.name.startswith("_")
    ]


def documented_names(docstring: str) -> set[str]:
    """Names in the section Attributes of a docstring: ``first, second : str``."""
    _, _, section = docstring.partition("Attributes\n----------\n")
    names: set[str] = set()
    for line in section.splitlines():
        if line and not line.startswith(" "):
            names.update(name.strip() for name in line.partition(" :")[0].split(","))
    return names


@every_module
def test_no_file_is_longer_than_a_reader_can_hold(module: Module) -> None:
    assert module.n_lines < MOST_LINES, f"{module.place}: {module.n_lines} lines"


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def length_of(node: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return lines
    docstring = node.body[0]
    return lines - ((docstring.end_lineno or 0) - docstring.lineno + 1)


def is_kernel(node: ast.FunctionDef) -> bool:
    names = (ast.unparse(d).partition("(")[0] for d in node.decorator_list)
    return any(name.rpartition(".")[2] in KERNELS for name in names)


@every_module
def test_functions_do_one_thing_that_a_reader_can_hold(module: Module) -> None:
    wrong = []
    for node in functions(module.tree):
        limit = MOST_LINES_OF_KERNEL if is_kernel(node) else MOST_LINES_OF_FUNCTION
        limit = LONG_FUNCTIONS.get(f"{module.name}.{node.name}", limit)
        if length_of(node) > limit:
            wrong.append(f"{module.place}:{node.lineno} {node.name} {length_of(node)}")
    assert not wrong, wrong


def test_no_function_stays_on_the_list_of_long_ones_without_need() -> None:
    short = set(LONG_FUNCTIONS)
    for module in modules().values():
        for node in functions(module.tree):
            limit = MOST_LINES_OF_KERNEL if is_kernel(node) else MOST_LINES_OF_FUNCTION
            if length_of(node) > limit:
                short.discard(f"{module.name}.{node.name}")
    assert not short, f"take off LONG_FUNCTIONS: {sorted(short)}"


@every_module
def test_modules_are_named_after_what_they_hold(module: Module) -> None:
    assert not EMPTY_NAMES.intersection(module.name.split(".")), module.place


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Whether a handler takes any fault, and does not raise it, or one from it."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and (last.exc is None or last.cause is not None):
        return False
    names = ("Exception", "BaseException")
    return handler.type is None or any(
        isinstance(name, ast.Name) and name.id in names
        for name in ast.walk(handler.type)
    )


@every_module
def test_no_fault_is_caught_without_knowing_it(module: Module) -> None:
    wrong = [
        f"{module.place}:{node.lineno}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler) and catches_everything(node)
    ]
    assert not wrong, wrong


@every_module
def test_library_never_ends_the_process(module: Module) -> None:
    if module.family in MAY_END_THE_PROCESS:
        return
    wrong = [
        f"{module.place}:{node.lineno}"
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Call) and ast.unparse(node.func) in ENDS_THE_PROCESS)
        or (
            isinstance(node, ast.Raise)
            and node.exc is not None
            and ast.unparse(node.exc).startswith("SystemExit")
        )
    ]
    assert not wrong, wrong


@every_module
def test_public_functions_take_no_unnamed_options(module: Module) -> None:
    wrong = [
        f"{module.place}:{node.lineno} {node.name}(**{node.args.kwarg.arg})"
        for node in public_functions(module.tree)
        if node.args.kwarg is not None
    ]
    assert not wrong, wrong


@pytest.mark.parametrize(
    "module",
    [m for m in modules().values() if m.path.name == "__init__.py"],
    ids=lambda m: m.name,
)
def test_package_files_only_export(module: Module) -> None:
    wrong = []
    for node in module.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(
            node.value, ast.Constant
        )
        is_lazy = isinstance(node, ast.FunctionDef) and node.name in LAZY
        is_table = isinstance(node, ast.Assign | ast.AnnAssign)
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) in (
            "TYPE_CHECKING",
            "typing.TYPE_CHECKING",
        )
        if not (is_docstring or is_lazy or is_table or is_import or is_for_types):
            wrong.append(f"{module.place}:{node.lineno}")
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("module", "node"),
    public_dataclasses("parts"),
    ids=[node.name for _, node in public_dataclasses("parts")],
)
def test_every_field_of_a_part_is_documented(
    module: Module, node: ast.ClassDef
) -> None:
    fields = {
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }
    missing = fields - documented_names(ast.get_docstring(node) or "")
    assert not missing, f"{module.place}:{node.lineno} {node.name}: {sorted(missing)}"


def test_package_is_marked_as_typed() -> None:
    assert (REPOSITORY / "femlie" / "py.typed").is_file()

"""Structure of the code: packages with small interfaces, modules of a readable size."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "termsift"
MODULES = sorted(SOURCE.rglob("*.py"))
# packages inside packages that are interfaces of their own; modules of _internal are imported directly
SUBPACKAGES = ("engines.files", "engines.spark", "evaluation.classifiers")
MAX_EXPORTS = 40
MAX_LINES = 600


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path) -> set[str]:
    """Modules of termsift that a module imports, relative to the package."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("termsift."):
            name = node.module.removeprefix("termsift.")
            folder = SOURCE.joinpath(*name.split("."))
            modules.add(name)
            modules |= {
                f"{name}.{alias.name}" for alias in node.names if (folder / f"{alias.name}.py").exists()
            }
        elif isinstance(node, ast.Import):
            modules |= {
                alias.name.removeprefix("termsift.")
                for alias in node.names
                if alias.name.startswith("termsift.")
            }
    return modules


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_other_packages_are_imported_through_their_interfaces(path):
    package = module_name(path).split(".")[0]
    below = {
        name
        for name in imported_modules(path)
        if name.split(".")[0] not in (package, "_internal") and "." in name and name not in SUBPACKAGES
    }
    assert not below, f"import from the package: {sorted(below)}"


@pytest.mark.parametrize("path", [path for path in MODULES if path.name == "__init__.py"], ids=module_name)
def test_an_interface_has_at_most_40_names(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    exports = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and path.parent != SOURCE
        for alias in node.names
    }
    assert len(exports - {None}) <= MAX_EXPORTS


@pytest.mark.parametrize("path", [path for path in MODULES if "_kernel" not in path.name], ids=module_name)
def test_a_module_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_every_folder_with_modules_is_a_package():
    assert all((path.parent / "__init__.py").exists() for path in MODULES)


@pytest.mark.parametrize("path", [path for path in MODULES if path.name == "__init__.py"], ids=module_name)
def test_no_exported_name_is_that_of_a_module(path):
    """`from termsift.report import x` would give the function or the module, whichever was loaded last."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    exports = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and path.parent != SOURCE
        for alias in node.names
    }
    assert not exports & {module.stem for module in path.parent.glob("*.py")} - {"charts"}

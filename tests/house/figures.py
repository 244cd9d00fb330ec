"""Print how large and how tangled the code is: `python -m tests.house.figures [FOLDER] [--static]`.

FOLDER is another checkout. `--static` leaves out the calls, which are counted in the tests' world (calls.py).
Product code is what is in the apps, without migrations. Each figure says what it counts.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("games", "accounts", "condottiere_site")
SAYING_NOTHING = {"_go_on", "_found", "_reached", "_put", "_look_at", "_bring_on", "_end"}
DJANGOS_OWN = "Command"  # the class of every management command
NAMES_SHOWN = 12

Function = ast.FunctionDef | ast.AsyncFunctionDef
Figures = Iterator[tuple[str, object]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.figures", description=__doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT, help="a checkout; this one if not given"
    )
    parser.add_argument("--static", action="store_true", help="only what can be read, in a second or two")
    options = parser.parse_args()
    root = options.folder.resolve()
    for name, figure in [*read_figures(root), *([] if options.static else counted_figures(root))]:
        print(f"{name:66} {figure}")


def read_figures(root: Path) -> Figures:
    """Return what can be read from the files of a checkout."""
    texts = {path: path.read_text(encoding="utf-8") for path in _modules(root)}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    yield from _sizes(texts, trees)
    yield "section headings: # X alone at column 0 between blank lines", sum(map(_headings, texts.values()))
    yield (
        "constants: module-level assignments below a function or class",
        sum(map(_late_constants, trees.values())),
    )
    imports = [
        sum(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body) for tree in trees.values()
    ]
    yield "import statements at the top of a module, 95th percentile", _percentile(imports, 95)
    yield from _pages(root)
    yield from _show_game(trees)
    yield from _names(trees)


def _modules(root: Path) -> list[Path]:
    files = [path for room in ROOMS for path in (root / room).rglob("*.py")]
    return sorted(path for path in files if "migrations" not in path.parts)


def _percentile(numbers: list[int], percent: int) -> int:
    """Return the number below which this share lies."""
    return sorted(numbers)[len(numbers) * percent // 100]


def _length(node: Function) -> int:
    """Return a function's lines, from `def` to its last; decorators don't count."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _functions(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def _sizes(texts: dict[Path, str], trees: dict[Path, ast.Module]) -> Figures:
    lines = [text.count("\n") for text in texts.values()]
    yield "product lines, blank ones too", f"{sum(lines):,}"
    longest = max((_length(each), each.name) for tree in trees.values() for each in _functions(tree))
    lengths = [_length(each) for tree in trees.values() for each in _functions(tree)]
    mean, high = sum(lengths) / len(lengths), _percentile(lengths, 95)
    yield (
        "functions: mean, 95th percentile, longest in lines",
        f"{mean:.1f}, {high}, {longest[0]} ({longest[1]})",
    )
    lines = [count for count in lines if count]
    figures = (len(lines), _percentile(lines, 50), _percentile(lines, 95), max(lines))
    yield "modules: how many, median, 95th percentile, longest in lines", ", ".join(map(str, figures))


def _headings(text: str) -> int:
    return len(re.findall(r"(?m)^\n# .*\n(?=\n)", text))


def _late_constants(tree: ast.Module) -> int:
    defined = [isinstance(node, Function | ast.ClassDef) for node in tree.body]
    below = tree.body[defined.index(True) :] if True in defined else []
    return sum(isinstance(node, ast.Assign | ast.AnnAssign) for node in below)


def _pages(root: Path) -> Figures:
    lines = [
        line
        for folder in (root / "templates", *(root / room for room in ROOMS))
        for path in sorted(folder.rglob("*.html"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    for most in (120, 200):
        long = sum(len(line) > most for line in lines)
        yield f"lines of HTML templates over {most} characters", f"{long:,} of {len(lines):,}"
    yield "the longest of them", f"{max(map(len, lines)):,}"
    game = (root / "templates" / "games" / "game.html").read_text(encoding="utf-8")
    yield "{% if %} in game.html", game.count("{% if ")


def _show_game(trees: dict[Path, ast.Module]) -> Figures:
    for tree in trees.values():
        for function in _functions(tree):
            if function.name == "show_game":
                figures = f"{_length(function)}, {_complexity(function)}"
                yield "show_game: lines; 1 + if, for, while, except, and, or, ternaries", figures


def _complexity(function: Function) -> int:
    branches = (
        ast.If | ast.IfExp | ast.For | ast.While | ast.ExceptHandler | ast.comprehension | ast.match_case
    )
    nodes = list(ast.walk(function))
    terms = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return 1 + terms + sum(isinstance(node, branches) for node in nodes)


def _names(trees: dict[Path, ast.Module]) -> Figures:
    """Return names that stand for several things: of classes at the top of modules, of private functions."""
    top = [node for tree in trees.values() for node in tree.body]
    classes = Counter(
        node.name for node in top if isinstance(node, ast.ClassDef) and node.name != DJANGOS_OWN
    )
    private = Counter(node.name for node in top if isinstance(node, Function) and node.name.startswith("_"))
    yield "classes: names of more than one", _repeated(classes, 2)
    yield "private functions: names in three modules or more", _repeated(private, 3)
    everywhere = Counter(each.name for tree in trees.values() for each in _functions(tree))
    yield (
        "functions and methods whose names say nothing",
        _repeated(Counter({name: everywhere[name] for name in SAYING_NOTHING}), 1),
    )


def _repeated(names: Counter[str], least: int) -> str:
    found = [(name, count) for name, count in names.most_common() if count >= least]
    shown = ", ".join(f"{name} {count}" for name, count in found[:NAMES_SHOWN])
    return f"{len(found)}: {shown}{', ...' if len(found) > NAMES_SHOWN else ''}" if found else "0"


def counted_figures(root: Path) -> Figures:
    """Return what is counted while the code of a checkout runs in its tests' world (calls.py)."""
    tools = [Path(__file__), Path(__file__).with_name("calls.py")]
    if root != ROOT:
        (root / "tests" / "house").mkdir(exist_ok=True)
        for tool in tools:
            shutil.copy2(tool, root / "tests" / "house" / tool.name)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counted.json"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "tests/house/calls.py",
        ]
        environment = os.environ | {"COUNT_INTO": str(out), "PYTHONHASHSEED": "0"}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"Calls could not be counted:\n{(done.stdout + done.stderr)[-4000:]}")
        yield from json.loads(out.read_text(encoding="utf-8")).items()


if __name__ == "__main__":
    main()

"""Compare all pages and emails of the tests' world before and after a change.

`python -m tests.look.compare OLD NEW`: commits, or `.` for the working tree. Each is rendered by its own code
and its own world in a folder of its own (rendering.py), with nothing left to chance (steady.py). The parsed
trees are compared (trees.py). Renderings of commits are kept in the folder for temporary files.
Exit status: 0 if nothing differs, 1 if something does, 2 if a side can't be rendered.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

from tests.look.trees import MASK, Line, lines_of

ROOT = Path(__file__).resolve().parents[2]
TOOLS = [Path(__file__).with_name(name) for name in ("steady.py", "rendering.py")]
PARTS = {"pages": "test_pages", "emails": "test_emails", "both": "test_pages or test_emails"}
LINES_SHOWN, NAMES_SHOWN, WIDEST = 8, 4, 200

Renderings = dict[str, dict[str, str]]
Hunk = tuple[str, tuple[str, ...], tuple[str, ...]]  # where, the old lines, the new lines


def main() -> int:
    """Render both sides and print what differs."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="condottiere-look-") as folder, ThreadPoolExecutor(2) as pool:
        Path(folder).chmod(0o755)
        sides = [
            pool.submit(_rendered, commit, Path(folder) / side, options)
            for side, commit in (("old", options.old), ("new", options.new))
        ]
        try:
            old, new = (side.result() for side in sides)
        except CannotRender as error:
            print(error, file=sys.stderr)
            return 2
    if options.keep:
        for side, renderings in (("old", old), ("new", new)):
            _keep(renderings, options.keep / side, options.mask)
    return _report(old, new, options.mask)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.look.compare", description=__doc__)
    parser.add_argument("old", metavar="OLD", help="a commit, or . for the working tree")
    parser.add_argument("new", metavar="NEW", help="a commit, or . for the working tree")
    parser.add_argument("--languages", action="store_true", help="in every language, not only in English")
    parser.add_argument(
        "--only", choices=["pages", "emails"], default="both", help="leave out the other half"
    )
    parser.add_argument(
        "--mask", metavar="REGEX", type=re.compile, action="append", default=[], help="ignore this text"
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", type=Path, help="write all trees to FOLDER/old and FOLDER/new"
    )
    return parser.parse_args()


class CannotRender(Exception):
    """A side could not be checked out or rendered."""


def _rendered(commit: str, folder: Path, options: argparse.Namespace) -> Renderings:
    """Return all renderings of a commit; those of an earlier run if there are any."""
    tree = "" if commit == "." else _git("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()
    kept = _place_for(tree, options)
    if not tree or not kept.exists():
        folder.mkdir()
        _check_out(tree, folder)
        found = _render(commit, folder, options)
        if not tree:
            return found
        fresh = kept.with_suffix(f".{os.getpid()}.{folder.name}")
        fresh.write_text(json.dumps(found), encoding="utf-8")
        fresh.replace(kept)
    found = json.loads(kept.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def _place_for(tree: str, options: argparse.Namespace) -> Path:
    """Where renderings of this tree are kept: what they depend on is in the name."""
    tools = [tool.read_text(encoding="utf-8") for tool in TOOLS]
    key = sha256("\n".join([tree, sys.prefix, options.only, str(options.languages), *tools]).encode())
    folder = Path(tempfile.gettempdir()) / "condottiere-look"
    folder.mkdir(exist_ok=True)
    return folder / f"{key.hexdigest()[:24]}.json"


def _check_out(tree: str, folder: Path) -> None:
    """Put the files of a tree, or of the working tree, into an empty folder, and our tools with them."""
    if tree:
        packed = folder.with_suffix(".tar")
        packed.write_bytes(_git("archive", tree))
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    else:
        names = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
        for name in names:
            if name and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
    for tool in TOOLS:
        shutil.copy2(tool, folder / "tests" / "look" / tool.name)


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise CannotRender(f"git {' '.join(words)}: {done.stderr.decode().strip()}")
    return done.stdout


def _render(commit: str, folder: Path, options: argparse.Namespace) -> Renderings:
    out = folder.with_name(f"{folder.name}-out")
    out.mkdir()
    environment = os.environ | {
        "PYTHONHASHSEED": "0",
        "DATABASE_URL": f"sqlite:///{out}/database.sqlite3",  # no server to start, and twice as quick
        "REDIS_URL": "redis://127.0.0.1:1/0",  # no one asks it
        "RENDER_INTO": str(out),
        "RENDER_LANGUAGES": "all" if options.languages else "en",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.look.steady", "-p", "no:cacheprovider"]
    command += ["-n", "0", "-k", PARTS[options.only], "tests/look/rendering.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRender(f"{commit} can't be rendered:\n{(done.stdout + done.stderr)[-6000:]}")
    found: Renderings = {}
    for path in sorted(out.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8")) | found
    return found


def _report(old: Renderings, new: Renderings, masks: list[re.Pattern[str]]) -> int:
    """Print each difference once, with the names of all that differ in this way."""
    alike, differing = defaultdict[tuple[str, ...], list[tuple[str, Hunk]]](list), set[str]()
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            for hunk in _hunks(_lines(old[name], masks), _lines(new[name], masks)):
                alike[_way(hunk)].append((name, hunk))
                differing.add(name)
    for found in alike.values():
        _print_names(list(dict.fromkeys(name for name, _hunk in found)))
        _print_hunk(*found[0][1])
    for side, names in (("OLD", old.keys() - new.keys()), ("NEW", new.keys() - old.keys())):
        if names:
            print(f"Only in {side}:")
            _print_names(sorted(names))
    everything = old.keys() | new.keys()
    differing |= everything - (old.keys() & new.keys())
    print(f"{len(differing)} of {len(everything)} pages and emails differ, in {len(alike)} ways.")
    return 1 if differing else 0


def _way(hunk: Hunk) -> tuple[str, ...]:
    """Return what differs, without where: in one line only the part of it, and in which element."""
    path, old, new = hunk
    if len(old) != 1 or len(new) != 1:
        return (*old, "became", *new)
    start = _length_of_common_start(old[0], new[0])
    before, after = old[0][start:], new[0][start:]
    end = _length_of_common_start(before[::-1], after[::-1])
    parts = before[: len(before) - end], after[: len(after) - end]
    return (path.rpartition(" > ")[2], *parts) if "".join(parts).strip() else (*old, "became", *new)


def _lines(rendering: dict[str, str], masks: list[re.Pattern[str]]) -> list[Line]:
    head, body = rendering["head"], rendering["body"]
    for mask in masks:
        head, body = mask.sub(MASK, head), mask.sub(MASK, body)
    return lines_of(rendering["type"], head, body)


def _hunks(old: list[Line], new: list[Line]) -> Iterator[Hunk]:
    """Return where two trees differ."""
    texts = [[str(line) for line in lines] for lines in (old, new)]
    same = _length_of_common_start(*texts)
    matcher = SequenceMatcher(None, texts[0][same:], texts[1][same:], autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what != "equal":
            here = [*new[same + k : same + m], *old[same + i : same + j]][0]
            before, after = texts[0][same + i : same + j], texts[1][same + k : same + m]
            yield here.path, tuple(map(str.strip, before)), tuple(map(str.strip, after))


def _length_of_common_start(old: Sequence[str], new: Sequence[str]) -> int:
    return sum(1 for _each in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _print_names(names: list[str]) -> None:
    for name in names[:NAMES_SHOWN]:
        print(name)
    if len(names) > NAMES_SHOWN:
        print(f"... and {len(names) - NAMES_SHOWN} more")


def _print_hunk(path: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    print(f"  at {path or 'the start'}")
    for sign, lines in (("-", old), ("+", new)):
        for line in lines[:LINES_SHOWN]:
            print(f"  {sign} {_cut(line, old, new)}")
        if len(lines) > LINES_SHOWN:
            print(f"  {sign} ... {len(lines) - LINES_SHOWN} more lines")


def _cut(line: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Return the part of a long line where the first lines of a hunk begin to differ."""
    same = _length_of_common_start(old[0], new[0]) if old and new else 0
    start = max(0, same - WIDEST // 2) if len(line) > WIDEST else 0
    end = start + WIDEST
    return f"{'...' if start else ''}{line[start:end]}{'...' if len(line) > end else ''}"


def _keep(renderings: Renderings, folder: Path, masks: list[re.Pattern[str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rendering in renderings.items():
        lines = "\n".join(str(line) for line in _lines(rendering, masks))
        (folder / f"{re.sub('[^A-Za-z0-9@=.-]+', '_', name)[:200]}.txt").write_text(
            f"{lines}\n", encoding="utf-8"
        )


if __name__ == "__main__":
    sys.exit(main())

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

from tests.look.trees import Line, lines_of

ROOT = Path(__file__).resolve().parents[2]
TOOLS = [Path(__file__).with_name(name) for name in ("steady.py", "rendering.py")]
PARTS = {"pages": "test_pages", "emails": "test_emails", "both": "test_pages or test_emails"}
HUNKS_SHOWN, LINES_SHOWN, NAMES_SHOWN, WIDEST = 5, 6, 4, 200

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
    # Two sides at once need servers of their own.
    own = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    own |= {
        "PYTHONHASHSEED": "0",
        "RENDER_INTO": str(out),
        "RENDER_LANGUAGES": "all" if options.languages else "en",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.look.steady", "-p", "no:cacheprovider"]
    command += ["-n", "0", "--durations", "0", "-k", PARTS[options.only], "tests/look/rendering.py"]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRender(f"{commit} can't be rendered:\n{(done.stdout + done.stderr)[-6000:]}")
    found: Renderings = {}
    for path in sorted(out.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8")) | found
    return found


def _report(old: Renderings, new: Renderings, masks: list[re.Pattern[str]]) -> int:
    """Print what differs, once for all that differ in the same way."""
    alike = defaultdict[tuple[Hunk, ...], list[str]](list)
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            hunks = tuple(_hunks(_lines(old[name], masks), _lines(new[name], masks)))
            if hunks:
                alike[hunks].append(name)
    for hunks, names in sorted(alike.items(), key=lambda item: item[1]):
        _print_names(names)
        for hunk in hunks[:HUNKS_SHOWN]:
            _print_hunk(*hunk)
        if len(hunks) > HUNKS_SHOWN:
            print(f"  and {len(hunks) - HUNKS_SHOWN} more places")
    missing = {"OLD": sorted(old.keys() - new.keys()), "NEW": sorted(new.keys() - old.keys())}
    for side, names in missing.items():
        if names:
            print(f"Only in {side}:")
            _print_names(names)
    differing = sum(map(len, alike.values())) + sum(map(len, missing.values()))
    everything = len(old.keys() | new.keys())
    print(f"{differing} of {everything} pages and emails differ, in {len(alike)} different ways.")
    return 1 if differing else 0


def _lines(rendering: dict[str, str], masks: list[re.Pattern[str]]) -> list[Line]:
    body = rendering["body"]
    for mask in masks:
        body = mask.sub("(masked)", body)
    return lines_of(rendering["type"], rendering["head"], body)


def _hunks(old: list[Line], new: list[Line]) -> Iterator[Hunk]:
    """Return where two trees differ."""
    texts = [[str(line) for line in lines] for lines in (old, new)]
    same = _length_of_common_start(*texts)
    matcher = SequenceMatcher(None, texts[0][same:], texts[1][same:], autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what != "equal":
            here = [*new[same + k : same + m], *old[same + i : same + j]][0]
            yield here.path, tuple(texts[0][same + i : same + j]), tuple(texts[1][same + k : same + m])


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
            print(f"  {sign} {_cut(line.strip(), old, new)}")
        if len(lines) > LINES_SHOWN:
            print(f"  {sign} ... {len(lines) - LINES_SHOWN} more lines")


def _cut(line: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Return the part of a long line where the first lines of a hunk begin to differ."""
    same = _length_of_common_start(old[0].strip(), new[0].strip()) if old and new else 0
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

"""The house rules a program can check: form, types, imports, migrations, templates, settings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(sys.executable).parent
TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")  # of a template
ROOMS = ["games", "accounts", "condottiere_site"]

pytestmark = pytest.mark.once


def _passes(*command: str) -> None:
    """Run the command; fail with all its output."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)


def _tool(name: str) -> str:
    return str(PROGRAMS / name)


def _files(*patterns: str) -> list[Path]:
    folders = [ROOT / name for name in [*ROOMS, "templates", "tests"]]
    return sorted(path for folder in folders for pattern in patterns for path in folder.rglob(pattern))


def _templates() -> list[Path]:
    return [path for path in _files("*.html") if "templates" in path.parts]


def test_ruff_has_nothing_to_say() -> None:
    _passes(_tool("ruff"), "check", "--no-cache", ".")


def test_every_file_is_formatted() -> None:
    _passes(_tool("ruff"), "format", "--no-cache", "--check", ".")


@pytest.mark.early
def test_types_are_strict() -> None:
    _passes(_tool("mypy"), *ROOMS)


def test_imports_point_down() -> None:
    _passes(_tool("lint-imports"), "--no-cache")


@pytest.mark.django_db
@override_settings(MIGRATION_MODULES={})  # tests make the tables from the models
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True)


def test_django_has_no_complaint() -> None:
    call_command("check", fail_level="WARNING")


def test_templates_are_formatted() -> None:
    templates = [str(path) for path in _templates()]
    _passes(_tool("djade"), "--target-version", "5.2", "--check", *templates)


def test_pages_hold_no_inline_style_or_script() -> None:
    """Emails' style is inlined on purpose: mail programs drop sheets."""
    pages = [path for path in _templates() if "emails" not in path.parts]
    found = {str(path.relative_to(ROOT)): _inline_in(path.read_text(encoding="utf-8")) for path in pages}
    assert {path: parts for path, parts in found.items() if parts} == {}
    assert len(found) > 100


def _inline_in(text: str) -> list[str]:
    scripts = re.findall(r"(?i)<script\b[^>]*>", text)
    return [
        *re.findall(r"(?i)\sstyle\s*=|<style\b|\son[a-z]+\s*=\s*[\"']|javascript:", text),
        *[tag for tag in scripts if "src=" not in tag and "json" not in tag],
    ]


def test_the_repository_speaks_of_no_place_outside_itself() -> None:
    outside = re.compile(r"(?<![\w.])/(work|home|root|Users)/\w|\.\./shared|pypi\.org|files\.pythonhosted")
    deployed = (path for path in (ROOT / "deploy").rglob("*") if path.suffix != ".pyc")
    texts = [*_files("*.py", "*.md", "*.html", "*.txt", "*.json"), *deployed]
    texts += [ROOT / ".ci" / "run", *ROOT.glob("*.*")]
    this = Path(__file__)
    guilty = [
        f"{path.relative_to(ROOT)}: {line.strip()[:80]}"
        for path in texts
        if path.is_file() and path != this and path.name != ".git"  # which names the checkout of a work tree
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if outside.search(line)
    ]
    assert guilty == []


def test_no_code_folder_was_added_without_a_decision() -> None:
    listed = _listed()
    folders = {name.partition("/")[0] for name in listed if "/" in name}
    assert folders <= {
        "condottiere_site",
        "games",
        "accounts",
        "templates",
        "tests",
        "locale",
        ".ci",
        "docs",
        "deploy",
    }


def _listed() -> list[str]:
    if not (ROOT / ".git").exists():
        return [str(path.relative_to(ROOT)) for path in _files("*")]
    command = ["git", "ls-files"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_readme_explains_every_setting() -> None:
    settings = (ROOT / "condottiere_site" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'environment\.\w+\("([A-Z_]+)"', settings))
    assert len(names) > 10
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert sorted(name for name in names if f"`{name}`" not in readme) == []


def test_every_class_of_a_page_is_styled_or_looked_for() -> None:
    looks = "".join(
        path.read_text()
        for kind in ("*.css", "*.js")
        for path in ROOT.glob(f"condottiere_site/static/**/{kind}")
    )
    known = set(re.findall(r"\.([a-z][\w-]*)", looks))
    pages = [path for path in _templates() if "emails" not in path.parts]
    tags = re.compile(r'\bclass="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"')
    words = {
        word
        for path in pages
        for text in tags.findall(path.read_text())
        for word in TAG.sub(" ", text).split()
    }
    assert {word for word in words if not word.endswith("-") and word not in known} == set()

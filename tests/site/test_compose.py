"""compose.yaml passes on every setting, guards every container, and starts what there is."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from celery.bin.beat import beat
from celery.bin.worker import worker
from django.conf import settings
from django.core.management import get_commands, load_command_class
from gunicorn.config import Config

ROOT = Path(settings.BASE_DIR)
FILE = ROOT / "deploy" / "compose.yaml"
OF_CONTAINERS = {"RUNTIME_DIRECTORY"}

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def _documented() -> set[str]:
    names: set[str] = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for table in re.findall(
            r"^\| variable \| meaning .*\n(?:\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            names |= set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    return names


def _read() -> set[str]:
    source = (ROOT / "condottiere_site" / "settings.py").read_text(encoding="utf-8")
    named_for_languages = {f"SITE_NAME_{code.upper()}" for code in settings.SITE_NAMES}
    return named_for_languages | set(re.findall(r'\benvironment\.\w+\(\s*"([A-Z_]+)"', source))


def _of_the_site(compose: Any) -> Iterator[tuple[str, Any]]:
    return (
        (name, service) for name, service in compose["services"].items() if "STATE_DIR" in _passed(service)
    )


def _passed(service: Any) -> dict[str, str]:
    return dict(service.get("environment", {}))


def test_every_setting_is_documented_and_passed_on_to_every_container_of_the_site(compose: Any) -> None:
    assert _read() == _documented()
    roles = dict(_of_the_site(compose))
    assert {"migrate", "web", "worker", "beat", "backup", "receive_mail"} == set(roles)
    for service in roles.values():
        passed = {name.removesuffix("_FILE") for name in _passed(service)}
        assert passed == _documented() | OF_CONTAINERS


def test_settings_come_from_variables_of_their_own_names(compose: Any) -> None:
    fixed = {"STATE_DIR", "RUNTIME_DIRECTORY", "DATABASE_PASSWORD_FILE"}
    for name, value in _passed(compose["services"]["web"]).items():
        assert name in fixed or value.startswith(f"${{{name}:"), name


def test_every_password_may_be_in_a_file_that_its_container_gets(compose: Any) -> None:
    """Those with a file are the settings that the documents call secret or that hold a password."""
    for _name, service in _of_the_site(compose):
        files = {name for name in _passed(service) if name.endswith("_FILE")}
        secrets = {name.removesuffix("_FILE").lower() for name in files}
        assert secrets == set(service["secrets"]) == set(compose["secrets"])
        for name in files:
            assert f"/run/secrets/{name.removesuffix('_FILE').lower()}" in _passed(service)[name]
    for name, secret in compose["secrets"].items():
        assert secret["file"].startswith(f"${{{name.upper()}_FILE:-")
    rows = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
    )
    with_password = set(
        re.findall(r"^\| `([A-Z_]+)` \|.*(?:name:password@|password|key|token|secret)", rows, re.MULTILINE)
    )
    assert {name.lower() for name in with_password & _documented()} <= set(compose["secrets"])


def test_every_container_is_guarded_checked_and_limited(compose: Any) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "cap_add" not in service, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["user"] not in {"root", "0", "0:0"}, name
        assert service["mem_limit"], name
        assert service["healthcheck"].get("test") or name == "migrate", name
        assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", [])) or name == "proxy"


def test_images_are_pinned_to_major_versions(compose: Any) -> None:
    foreign = [service["image"] for service in compose["services"].values() if "build" not in service]
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(foreign) == 2
    for image in foreign + bases:
        assert re.fullmatch(r"[a-z]+:\d+(\.\d+)?(-slim)?", image), image
    targets = re.findall(
        r"^FROM \S+ AS (\w+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    built = {service["build"]["target"] for service in compose["services"].values() if "build" in service}
    assert built == set(targets)


def test_what_containers_share_is_declared(compose: Any) -> None:
    for name, service in compose["services"].items():
        volumes = {volume.split(":")[0] for volume in service.get("volumes", [])}
        assert {volume for volume in volumes if not volume.startswith("./")} <= set(compose["volumes"]), name
        assert all((FILE.parent / volume).is_file() for volume in volumes if volume.startswith("./")), name
        assert set(service["networks"]) <= set(compose["networks"]), name
        assert set(service.get("depends_on", [])) <= set(compose["services"]), name


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    else:
        yield str(value)


def test_variables_are_written_as_compose_reads_them(compose: Any) -> None:
    """A single dollar would begin a variable, and one without a default would be empty with a warning."""
    for text in _texts(compose):
        rest = re.sub(r"\$\$|\$\{[A-Z_]+:[-+?][^${}]*\}", "", text).replace("${SITE_URL}", "")
        assert "$" not in rest, text


def test_containers_wait_only_for_what_will_come(compose: Any) -> None:
    services = compose["services"]
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            waited = services[other]
            assert "profiles" not in waited, f"{name} waits for {other}, which may not be started"
            if how["condition"] == "service_healthy":
                assert waited["healthcheck"]["test"], (name, other)
            else:
                assert (how["condition"], waited["restart"]) == ("service_completed_successfully", "no")


def test_checks_take_less_time_than_lies_between_them(compose: Any) -> None:
    for name, service in compose["services"].items():
        check = service["healthcheck"]
        if check == {"disable": True}:
            continue
        assert check["test"][0] in {"CMD", "CMD-SHELL"}, name
        lengths = [re.fullmatch(r"(\d+)s", check[each]) for each in ("timeout", "interval")]
        timeout, interval = (int(each[1]) for each in lengths if each)
        assert timeout <= interval, name


def test_only_what_must_write_into_the_volume_of_the_site_can(compose: Any) -> None:
    writers = {name for name, service in _of_the_site(compose) if "state:/state" in service["volumes"]}
    readers = {name for name, service in _of_the_site(compose) if "state:/state:ro" in service["volumes"]}
    assert writers == {"migrate", "backup"}
    assert writers | readers == {name for name, _service in _of_the_site(compose)}


def test_there_may_be_a_worker_for_each_core(compose: Any) -> None:
    """As docs/SIZES.md says. Each is one process, with files of its own."""
    service = compose["services"]["worker"]
    assert not {"ports", "container_name", "hostname"} & set(service)
    assert "--pool threads" in " ".join(service["command"])
    assert any(each.startswith(_passed(service)["RUNTIME_DIRECTORY"] + ":") for each in service["tmpfs"])
    assert "--scale worker=" in (ROOT / "docs" / "SIZES.md").read_text(encoding="utf-8")


def test_the_site_gets_all_of_env_so_that_it_can_name_what_is_misspelt(compose: Any) -> None:
    for _name, service in _of_the_site(compose):
        assert service["env_file"] == [{"path": ".env", "required": False}]


@pytest.mark.parametrize("role", ["migrate", "web", "worker", "beat", "backup", "receive_mail"])
def test_each_command_exists_and_takes_its_words(compose: Any, role: str) -> None:
    words = compose["services"][role]["command"]
    if words[0] == "sh":
        words = re.findall(r"python [^;&]+", words[2])[0].split()
    assert Path(sys.executable).with_name(words[0]).exists()
    match words:
        case ["python", "manage.py", command, *rest]:
            loaded = load_command_class(get_commands()[command], command)
            loaded.create_parser("manage.py", command).parse_args(rest)
        case ["gunicorn", *rest]:
            given = Config().parser().parse_args(rest)
            assert (ROOT / given.config).is_file()
        case ["celery", "-A", "condottiere_site", command, *rest]:
            program: click.Command = {"worker": worker, "beat": beat}[command]
            program.make_parser(click.Context(program)).parse_args(list(rest))
        case _:
            pytest.fail(f"{words} isn't known")


def test_the_example_of_settings_has_only_settings() -> None:
    text = (ROOT / "deploy" / "example.env").read_text(encoding="utf-8")
    names = {name.removesuffix("_FILE") for name in re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE)}
    assert names - {"COMPOSE_PROFILES"} <= _documented()

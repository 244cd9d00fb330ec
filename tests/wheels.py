"""Small packages for tests of the set-up, which then need no registry."""

import zipfile
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    extras: Iterable[str] = (),
    modules: Mapping[str, str] | None = None,
) -> str:
    """Write a wheel with these modules, or none; return the line of a lock file that pins it."""
    file_name = name.replace("-", "_")
    about = f"{file_name}-{version}.dist-info"
    files = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        + "".join(f"Provides-Extra: {extra}\n" for extra in extras),
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
        **(modules or {}),
    }
    path = folder / f"{file_name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(file, text)
    return f"{name}=={version} --hash=sha256:{sha256(path.read_bytes()).hexdigest()}\n"

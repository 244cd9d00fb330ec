"""Why an environment could not be made or filled, from what was printed. Standard library only."""

import re

_PACKAGE = r"'?(?P<package>[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?)"
_NOT_COMPILED = (
    "{package} would have to be compiled on this computer, and that failed. "
    "Install a C compiler, or use an older Python (3.11 or newer)"
)
_DISK_FULL = (
    "The disk is full. Free 1 GB, also where temporary files are, "
    "or set STATE_DIR and TMPDIR to folders on other disks"
)
_KILLED = "pip was killed, perhaps because the memory is full. Free 500 MB of it"
# What venv and ensurepip print, what is wrong, and what to do.
_NO_ENVIRONMENT = {
    r"No space left on device|Disk quota exceeded": _DISK_FULL,
    r"PATH separator": "Its path has a colon. Set STATE_DIR to a folder without one",
    r"Permission denied|Read-only file system": (
        "The folder can't be written. Make it writable, or set STATE_DIR to one that is"
    ),
    r"Operation not (?:permitted|supported)|Function not implemented": (
        "The disk of that folder takes no links. Set STATE_DIR to a folder on a disk of this computer"
    ),
    r"No module named": (
        "Parts of this Python are missing. Reinstall it with its venv module "
        "(on Debian and Ubuntu: apt install --reinstall python3-venv)"
    ),
}
# What pip prints, what is wrong, and what to do. The first that matches counts: without a connection, pip
# also says that it found no version of a package.
_FAILURES = {
    r"No space left on device|Disk quota exceeded": _DISK_FULL,
    r"(?i:ssl module (?:in Python )?is not available)": (
        "This Python was built without SSL. Install another one"
    ),
    r"407 Proxy Authentication|Tunnel connection failed: 407": (
        "The proxy wants a name and a password. Set HTTPS_PROXY to http://name:password@proxy:port"
    ),
    r"Tunnel connection failed|ProxyError|[Cc]annot connect to proxy": (
        "The proxy lets no connection through. Check HTTPS_PROXY"
    ),
    r"certificate is not yet valid|certificate has expired": (
        "The registry's certificate isn't valid at the time that this computer's clock shows. Set the clock"
    ),
    r"CERTIFICATE_VERIFY_FAILED|SSLError": (
        "The registry's certificate isn't trusted here. If your network has a certificate of its own, "
        "set PIP_CERT to its file"
    ),
    r"40[13] (?:Client )?Error": (
        "The package registry refused access. Check the name and password in PIP_INDEX_URL"
    ),
    r"Max retries exceeded|NewConnectionError|ConnectTimeout|ReadTimeout|Read timed out|NameResolutionError"
    r"|[Nn]ame resolution|[Cc]onnection (?:broken|refused|reset|aborted)|RemoteDisconnected|IncompleteRead"
    r"|5\d\d Server Error": (
        "The package registry can't be reached. Check the connection, or set PIP_INDEX_URL to another one"
    ),
    r"Permission denied|Read-only file system": (
        "The environment can't be written. Make its folder writable, or set STATE_DIR to one that is"
    ),
    rf"DO NOT MATCH THE HASHES[\s\S]*?^\s+{_PACKAGE}[^\n]*(?:\n[^\n]*)?:\n\s+Expected": (
        "The registry's file of {package} isn't the one that this version was tested with, so it was not "
        "installed. Check PIP_INDEX_URL"
    ),
    rf"In --require-hashes mode[\s\S]*?^\s+{_PACKAGE}[^\n]*(?: from |\(from )": (
        "The lock file lacks {package}, a fault of this version. Report it, and get a newer version"
    ),
    rf"\(from versions: none\)[\s\S]*No matching distribution found for {_PACKAGE}": (
        "The registry offers no {package} to this Python. Check PIP_INDEX_URL with its password, "
        "or use an older Python (3.11 or newer)"
    ),
    rf"No matching distribution found for {_PACKAGE}": (
        "The registry has no {package} of the locked version for this computer and this Python. "
        "Use an older Python (3.11 or newer)"
    ),
    rf"(?:Failed building wheel for|Failed to build|Could not build wheels for) {_PACKAGE}": _NOT_COMPILED,
    r"subprocess-exited-with-error|metadata-generation-failed|BackendUnavailable": _NOT_COMPILED,
}


def explain_environment(printed: str) -> str:
    """Return what kept Python from making a virtual environment, and what to do."""
    for pattern, reason in _NO_ENVIRONMENT.items():
        if re.search(pattern, printed):
            return reason
    return f"It said: {_last_line(printed)}. Mend that"


def explain(printed: str, *, killed: bool = False) -> str:
    """Return what kept pip from installing the packages, at which package, and what to do."""
    if killed:
        return f"{_package_in_work(printed) or 'A package'}: {_KILLED}"
    for pattern, reason in _FAILURES.items():
        if found := re.search(pattern, printed, re.MULTILINE):
            named = found.groupdict().get("package") or _package_in_work(printed) or "A package"
            return reason.format(package=named) if "{" in reason else f"{named}: {reason}"
    return f"pip stopped at {_package_in_work(printed) or 'its start'}: {_last_line(printed)}. Mend that"


def _package_in_work(printed: str) -> str:
    """Return the package that pip was fetching when it stopped; empty if it doesn't say."""
    collected = re.findall(
        rf"(?:No matching distribution found for|^Collecting) {_PACKAGE}", printed, re.MULTILINE
    )
    return collected[-1] if collected else ""


def _last_line(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if line.upper().startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[-1].rstrip(".:")

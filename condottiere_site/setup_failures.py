"""Why packages could not be installed, from what pip printed. Standard library only."""

import re

_PACKAGE = r"'?(?P<package>[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?)"
_NOT_COMPILED = (
    "{package} would have to be compiled on this computer, and that failed. "
    "Install a C compiler, or use an older Python (3.11 or newer)"
)
# What pip prints, what is wrong, and what to do. The first that matches counts: without a connection, pip
# also says that it found no version of a package.
_FAILURES = {
    r"No space left on device|Disk quota exceeded": "The disk is full. Free 1 GB",
    r"407 Proxy Authentication|Tunnel connection failed: 407": (
        "The proxy wants a name and a password. Set HTTPS_PROXY to http://name:password@proxy:port"
    ),
    r"Tunnel connection failed|ProxyError|[Cc]annot connect to proxy": (
        "The proxy lets no connection through. Check HTTPS_PROXY"
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


def explain(printed: str) -> str:
    """Return what kept pip from installing the packages, at which package, and what to do."""
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

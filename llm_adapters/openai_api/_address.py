"""Where a server is, and which key may go there."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

from llm_adapters.errors import MissingCapabilityError
from theory.errors import InvalidInputError

__all__ = ["NOT_SHOWN", "is_loopback", "proxy_for", "read_address", "read_key"]

NOT_SHOWN: Final = "(not shown)"
"""What stands in the place of what may be a key."""

_EXAMPLE: Final = 'give an address such as "https://example.com/v1" or "http://127.0.0.1:8000/v1"'


def read_address(base_url: Any) -> str:
    """Return an address without its last slash.

    Raises
    ------
    InvalidInputError
        For what is no http or https address, and for one with an @, a query or a fragment.
    """
    if not isinstance(base_url, str):
        raise InvalidInputError("base_url", base_url, "is not text", _EXAMPLE)
    if _parts(base_url) is None:  # a password may stand anywhere in it
        raise InvalidInputError("base_url", NOT_SHOWN, "is no address of a web server", _EXAMPLE)
    # What stands before @ may be a secret, and what follows ? or #.
    shown = re.split(r"[?#]", base_url.split("@")[-1])[0]
    if "@" in base_url:
        fix = "leave the user out, and give a key as key=; an @ in the path is written %40"
        raise InvalidInputError("base_url", shown, "holds a user or a password", fix)
    if "?" in base_url or "#" in base_url:
        fix = "give the address alone; what requests need goes into extra="
        raise InvalidInputError("base_url", shown, "has a query or a fragment", fix)
    return base_url.rstrip("/")


def _parts(text: str) -> SplitResult | None:
    """Return the parts of an http or https address; None where it is none."""
    if not text.isascii() or not text.isprintable() or any(c in text for c in ' "<>\\'):
        return None
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        (parts.hostname or "").encode("idna")  # no name has longer parts, nor empty ones
    except ValueError:
        return None
    return parts if usable else None


def is_loopback(address: str) -> bool:
    """Return whether an address is on this machine, as its text says."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def read_key(key: Any, address: str) -> str | None:
    """Return the key to send: the one given, else that of the environment; None for none.

    Raises
    ------
    InvalidInputError
        For what cannot be a key, and for a key that others could read on its way.
    """
    named = "key"
    if key is None:
        named = "OPENAI_API_KEY"
        key = os.environ.get(named)
    if key is None or key == "":
        return None
    if not isinstance(key, str) or not key.isascii() or not key.isprintable() or " " in key:
        fix = "give the key as it was issued, without spaces or line ends"
        raise InvalidInputError(named, NOT_SHOWN, "cannot be a key", fix)
    if urlsplit(address).scheme != "https" and not is_loopback(address):
        fix = 'give an https address, or key="" to send none'
        raise InvalidInputError("base_url", address, "would show the key to the network", fix)
    return key


def proxy_for(address: str) -> tuple[str, tuple[bytes, bytes] | None] | None:
    """Return the proxy that the environment names for an address, and the login there if any.

    Loopback has no proxy.

    Raises
    ------
    MissingCapabilityError
        Where what it names is no address of a proxy. It names the variable and quotes nothing, for
        a password may stand anywhere in what is none.
    """
    if is_loopback(address):
        return None
    from urllib import request

    parts = urlsplit(address)
    bypassed = vars(request)["proxy_bypass_environment"]  # its stubs lack it
    if bypassed(parts.hostname or ""):
        return None
    proxies = request.getproxies_environment()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found:
        return None
    proxy = _parts(found if "://" in found else f"http://{found}")
    if proxy is None or proxy.path not in {"", "/"} or proxy.query or proxy.fragment:
        kinds = {f"{parts.scheme}_proxy", "all_proxy"}
        names = [n for n, v in os.environ.items() if v == found and n.lower() in kinds]
        problem = f"the environment names no http or https proxy in {' and '.join(names)}"
        fix = "give one as http://HOST:PORT, a user and a password percent-encoded before HOST as"
        fix += " USER:PASSWORD@, or put the host of the server into NO_PROXY"
        raise MissingCapabilityError(problem, fix)
    login = None
    if proxy.username is not None:
        login = (unquote_to_bytes(proxy.username), unquote_to_bytes(proxy.password or ""))
    return f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}/", login

"""Shared parts of all pages: their files, the security policy, and writing a page whole or not at all."""

import base64
import hashlib
from importlib import resources

import jinja2


def asset(name: str) -> str:
    """Return the text of a template, style sheet or script."""
    return (resources.files("linkworth.report") / "templates" / name).read_text(encoding="utf-8")


def templates() -> jinja2.Environment:
    """Return the templates; everything inserted into them is escaped."""
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def policy(script: str, style: str) -> str:
    """Return a content security policy that allows this script and this style sheet, and no network."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

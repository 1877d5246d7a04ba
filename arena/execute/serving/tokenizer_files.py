"""What a checkpoint's tokenizer files say: template, digests, end-of-turn token. Reads files; loads no torch."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import RecordError

if TYPE_CHECKING:
    import jinja2

ANSWER = "arena-looks-for-the-end-of-this-turn"


@dataclass(frozen=True)
class Token:
    """A token of the vocabulary."""

    id: int
    text: str


def read_json(file: Path) -> Mapping[str, Any] | None:
    """Return the object that a JSON file holds, or none where there is no file."""
    if not file.is_file():
        return None
    try:
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as cause:
        raise RecordError(f"{file}: is no JSON: {cause}") from cause
    if not isinstance(content, dict):
        raise RecordError(f"{file}: holds {type(content).__name__}, not an object")
    return content


def chat_template(folder: Path) -> str | None:
    """Return the text of the chat template: the file of its own, else the tokenizer configuration's default."""
    own = folder / "chat_template.jinja"
    if own.is_file():
        return own.read_text(encoding="utf-8")
    template = (read_json(folder / "tokenizer_config.json") or {}).get("chat_template")
    if isinstance(template, list):
        template = {entry["name"]: entry["template"] for entry in template}.get("default")
    return template if isinstance(template, str) else None


def template_digest(folder: Path) -> str | None:
    """Return the sha256 of the chat template's text, or none."""
    template = chat_template(folder)
    return None if template is None else hashlib.sha256(template.encode()).hexdigest()


def tokenizer_digest(folder: Path) -> str | None:
    """Return a digest of all that decides which tokens a text becomes, or none where there is no `tokenizer.json`.

    What saving again may change (order of keys, spaces, the last call's padding and truncation) is left out.
    """
    tokenizer = read_json(folder / "tokenizer.json")
    if tokenizer is None:
        return None
    deciding = {name: part for name, part in tokenizer.items() if name not in ("padding", "truncation")}
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def special_tokens(folder: Path) -> Mapping[str, int]:
    """Return the special tokens: text to id."""
    added = (read_json(folder / "tokenizer.json") or {}).get("added_tokens", [])
    return {token["content"]: token["id"] for token in added if token.get("special")}


def eos_token(folder: Path) -> Token | None:
    """Return the token that the tokenizer configuration calls `eos_token`, or none."""
    named = (read_json(folder / "tokenizer_config.json") or {}).get("eos_token")
    text = named.get("content") if isinstance(named, dict) else named
    identity = special_tokens(folder).get(text) if isinstance(text, str) else None
    return None if identity is None else Token(identity, str(text))


def turn_end(folder: Path) -> Token | None:
    """Return the token with which the chat template ends an assistant's turn, or none where it cannot be told.

    The template is asked: a conversation is rendered, and the first special token after the answer is the one.
    """
    template = chat_template(folder)
    if template is None:
        return None
    rendered = _render(template, [{"role": "user", "content": "?"}, {"role": "assistant", "content": ANSWER}])
    _, answered, rest = (rendered or "").rpartition(ANSWER)
    tokens = special_tokens(folder)
    following = [text for text in tokens if text in rest]
    if not answered or not following:
        return None
    # of two that begin at one place the longer is the token
    text = min(following, key=lambda text: (rest.find(text), -len(text)))
    return Token(tokens[text], text)


def _render(template: str, messages: list[dict[str, str]]) -> str | None:
    """Return the conversation in the template's form, or none for a template that cannot show it."""
    import jinja2

    eos = {"eos_token": "", "bos_token": "", "add_generation_prompt": False, "tools": None}
    try:
        return _environment().from_string(template).render(messages=messages, **eos)
    except (jinja2.TemplateError, TypeError, ValueError, KeyError, AttributeError):
        return None


def _environment() -> "jinja2.Environment":
    """Return an environment with what chat templates may use, as transformers gives it to them."""
    import jinja2
    from jinja2.ext import Extension
    from jinja2.nodes import CallBlock, Node
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks what an assistant wrote, for training; here it only wraps."""

        tags = {"generation"}  # noqa: RUF012 - jinja's own form

        def parse(self, parser: Parser) -> Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller: Any) -> str:
            return str(caller())

    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, **how: json.dumps(value, ensure_ascii=False, indent=how.get("indent"))
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)  # noqa: DTZ005 - as transformers
    return environment

"""Packaging: which files are to be served, at which tokens they stop, and what was found wrong with them.

Nothing is repaired silently. What is found is a finding, with what was done about it; a repair is made only where
the cell's `package:` asks for it, since each one changes what is measured. Reads files; loads no torch.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from arena.errors import CellError, ServeError
from arena.execute.serving.adapter_files import AdapterFacts, read_adapter
from arena.execute.serving.tokenizer_files import (
    Token,
    chat_template,
    eos_token,
    read_json,
    template_digest,
    tokenizer_digest,
    turn_end,
)
from arena.spec.weights import WeightsDigest, weights_digest

StopTokens = Literal["as_is", "union"]
FIXES = {"tokenizer_from_base": "serve a full checkpoint that has no tokenizer or template with its base's"}
DTYPES = {"F64": "float64", "F32": "float32", "BF16": "bfloat16", "F16": "float16"}
NOTHING = "nothing"


@dataclass(frozen=True)
class Finding:
    """Something about a checkpoint that a reader of its figures should know."""

    name: str
    found: str
    done: str
    """What was done about it; `nothing` where nothing was."""
    effect: str
    """What follows for the figures."""


@dataclass(frozen=True)
class Digests:
    """sha256 of what acts; none is what is not there."""

    weights: str
    adapter: str | None
    template: str | None
    tokenizer: str | None


@dataclass(frozen=True)
class EndTokens:
    """Which tokens end a turn, by who says so."""

    base_config: tuple[int, ...]
    config: tuple[int, ...]
    """Of the checkpoint that is served; the base's own where that is the base or an adapter over it."""
    generation_config: tuple[int, ...] | None
    """None where there is no `generation_config.json`."""
    template: Token | None
    """The token with which the chat template ends an assistant's turn."""
    tokenizer: Token | None
    """The tokenizer's `eos_token`."""

    @property
    def as_is(self) -> tuple[int, ...]:
        return tuple(sorted({*self.config, *(self.generation_config or ())}))

    @property
    def turn_end(self) -> Token | None:
        return self.template or self.tokenizer

    def stop(self, how: StopTokens) -> tuple[int, ...]:
        if how == "as_is":
            return self.as_is
        ending = [] if self.turn_end is None else [self.turn_end.id]
        return tuple(sorted({*self.as_is, *self.base_config, *ending}))


@dataclass(frozen=True)
class Package:
    """What an engine is given."""

    base: Path
    """Folder of the full checkpoint: the base, or the trained one where all weights were trained."""
    adapter: Path | None
    tokenizer: Path
    """Folder of the tokenizer and its template."""
    stop_tokens: StopTokens
    stop_token_ids: tuple[int, ...]
    fixes: tuple[str, ...]
    findings: tuple[Finding, ...]
    digests: Digests
    end_tokens: EndTokens
    dtype_declared: str | None
    dtypes_stored: tuple[str, ...]
    policy_version: str
    """Digest of the weights that act: of the full checkpoint, or of it with an adapter that changes something."""

    def as_record(self) -> dict[str, Any]:
        """Return all but the paths of this machine, as JSON."""
        record = asdict(self)
        for path in ("base", "adapter", "tokenizer"):
            del record[path]
        return {
            **record,
            "kind": "full" if self.adapter is None else "adapter",
            "generation_config": self.end_tokens.generation_config is not None,
            "stop_token_ids": list(self.stop_token_ids),
            "fixes": list(self.fixes),
            "findings": list(record["findings"]),
            "dtypes_stored": list(self.dtypes_stored),
        }


def package(base: Path, adapter_or_checkpoint: Path | None, stop_tokens: StopTokens, fixes: Sequence[str]) -> Package:
    """Return what is to be served of a base and what training left, or of the base alone.

    Raises
    ------
    CellError
        An unknown fix.
    ServeError, RecordError
        The checkpoint cannot be served: damaged, without a tokenizer, or an adapter of another model.
    """
    for unknown in sorted(set(fixes) - FIXES.keys()):
        raise CellError(f"package.fixes: {unknown!r} is not known; known are {', '.join(FIXES)}")
    trained = adapter_or_checkpoint
    adapter = trained if trained is not None and (trained / "adapter_config.json").is_file() else None
    full = base if trained is None or adapter is not None else trained
    tokenizer = _tokenizer_folder(full, base, fixes)
    weights = weights_digest(full)
    ends = _end_tokens(base, full, tokenizer)
    adapter_weights = None if adapter is None else weights_digest(adapter)
    facts = None
    if adapter is not None and adapter_weights is not None:
        facts = read_adapter(adapter, adapter_weights, weights)
    declared = _declared_dtype(full)
    return Package(
        base=full,
        adapter=adapter,
        tokenizer=tokenizer,
        stop_tokens=stop_tokens,
        stop_token_ids=ends.stop(stop_tokens),
        fixes=tuple(fixes),
        findings=(
            *_end_findings(ends, stop_tokens),
            *_dtype_findings(declared, weights),
            *_tokenizer_findings(base, full, tokenizer, adapter),
            *(_adapter_findings(facts, base) if facts else ()),
        ),
        digests=Digests(
            weights=weights.digest,
            adapter=adapter_weights.digest if adapter_weights else None,
            template=template_digest(tokenizer),
            tokenizer=tokenizer_digest(tokenizer),
        ),
        end_tokens=ends,
        dtype_declared=declared,
        dtypes_stored=weights.stored_dtypes,
        policy_version=_policy_version(weights, adapter_weights, facts),
    )


def training_label(before: str, after: str, steps: int) -> Literal["trained", "untrained"]:
    """Return whether a checkpoint may be called trained: optimizer steps were made, and other weights act than before.

    `before` and `after` are `policy_version`s.
    """
    return "trained" if steps > 0 and before != after else "untrained"


def _policy_version(weights: WeightsDigest, adapter: WeightsDigest | None, facts: AdapterFacts | None) -> str:
    if adapter is None or facts is None or facts.inert:
        return weights.digest
    return hashlib.sha256(f"{weights.digest}+{adapter.digest}+{facts.config_digest}".encode()).hexdigest()


def _tokenizer_folder(full: Path, base: Path, fixes: Sequence[str]) -> Path:
    def whole(folder: Path) -> bool:
        return (folder / "tokenizer.json").is_file() and chat_template(folder) is not None

    if whole(full):
        return full
    if "tokenizer_from_base" in fixes and whole(base):
        return base
    missing = "chat template" if (full / "tokenizer.json").is_file() else "tokenizer.json"
    can = whole(base) and full != base
    hint = ", or ask for package.fixes: [tokenizer_from_base]" if can else ""
    raise ServeError(f"{full}: has no {missing}, so a chat cannot be shown to it; put it there{hint}")


def _end_tokens(base: Path, full: Path, tokenizer: Path) -> EndTokens:
    generation = read_json(full / "generation_config.json")
    return EndTokens(
        base_config=_eos_ids(read_json(base / "config.json") or {}),
        config=_eos_ids(read_json(full / "config.json") or {}),
        generation_config=None if generation is None else _eos_ids(generation),
        template=turn_end(tokenizer),
        tokenizer=eos_token(tokenizer),
    )


def _eos_ids(config: Mapping[str, Any]) -> tuple[int, ...]:
    ids = config.get("eos_token_id")
    if ids is None and isinstance(config.get("text_config"), dict):
        ids = config["text_config"].get("eos_token_id")
    return tuple(sorted(set(ids if isinstance(ids, list) else [] if ids is None else [ids])))


def _declared_dtype(folder: Path) -> str | None:
    config = read_json(folder / "config.json") or {}
    text = config.get("text_config") or {}
    declared = config.get("dtype") or config.get("torch_dtype") or text.get("dtype") or text.get("torch_dtype")
    return declared if isinstance(declared, str) else None


def _end_findings(ends: EndTokens, how: StopTokens) -> Iterator[Finding]:
    if ends.generation_config is None:
        yield Finding(
            "generation_config_missing",
            "there is no generation_config.json",
            NOTHING,
            "an engine that looks for one stops at other tokens than one that is told; ours are told",
        )
    if how == "as_is" and not ends.as_is:
        yield Finding("no_stop_token", "no configuration names one", NOTHING, "every turn runs to max_tokens")
    if ends.template is None:
        yield Finding(
            "turn_end_unknown",
            "the chat template shows no special token after an assistant's turn",
            f"the tokenizer's eos_token {_said(ends.tokenizer)} is taken for it" if ends.tokenizer else NOTHING,
            "whether the model stops where its turn ends could not be checked",
        )
    elif ends.tokenizer != ends.template:
        yield Finding(
            "tokenizer_eos_is_not_turn_end",
            f"the template ends turns with {_said(ends.template)}; the tokenizer's eos_token: {_said(ends.tokenizer)}",
            "the template's is taken",
            "engines that stop at the tokenizer's eos_token run past the turn",
        )
    if ends.turn_end is not None and ends.turn_end.id not in ends.as_is:
        yield Finding(
            "turn_end_is_not_a_stop_token",
            f"turns end with {_said(ends.turn_end)}; the configurations stop at {list(ends.as_is)}",
            "it was added to the stop tokens" if how == "union" else NOTHING,
            "without it a model runs past its turn and writes the next one itself",
        )
    if set(ends.config) != set(ends.base_config):
        yield Finding(
            "stop_tokens_differ_from_base",
            f"the base's config names {list(ends.base_config)}, the checkpoint's {list(ends.config)}",
            "both are stopped at" if how == "union" else "the checkpoint's are taken",
            "base and checkpoint differ in more than their weights",
        )


def _dtype_findings(declared: str | None, weights: WeightsDigest) -> Iterator[Finding]:
    stored = DTYPES.get(weights.stored_dtypes[0], weights.stored_dtypes[0])
    if declared != stored:
        yield Finding(
            "dtype_declared_is_not_stored",
            f"config.json declares {declared or 'none'}, the tensors are stored as {stored}",
            NOTHING,
            "engines that believe the declaration compute in another type than those that look at the tensors",
        )


def _tokenizer_findings(base: Path, full: Path, tokenizer: Path, adapter: Path | None) -> Iterator[Finding]:
    if tokenizer != full:
        yield Finding(
            "tokenizer_missing",
            "the checkpoint has no tokenizer with a chat template of its own",
            "the base's is served (tokenizer_from_base)",
            "none, if it was trained with the base's",
        )
    own = adapter or tokenizer
    for name, digest in (("tokenizer", tokenizer_digest), ("template", template_digest)):
        here, there = digest(own), digest(base)
        if here is not None and there is not None and here != there:
            yield Finding(
                f"{name}_differs_from_base",
                f"the {'adapter' if adapter else 'checkpoint'}'s {name} is not the base's",
                "the base's is served" if adapter else "the checkpoint's is served",
                "base and checkpoint differ in more than their weights",
            )


def _adapter_findings(facts: AdapterFacts, base: Path) -> Iterator[Finding]:
    if facts.base_name and Path(facts.base_name).name != base.name:
        yield Finding(
            "adapter_names_another_base",
            f"its configuration names {facts.base_name!r}, it is served over {base.name!r}",
            f"its {len(facts.changes)} modules and their shapes were checked against the base, and fit",
            "none, if it is the same model under another name",
        )
    if facts.inert:
        yield Finding("adapter_is_inert", "every B of it is zero", NOTHING, "the base acts alone: it is untrained")
    if facts.unchecked:
        yield Finding(
            "adapter_not_checked",
            f"{len(facts.unchecked)} tensors are of no kind that is known here, such as {facts.unchecked[0]}",
            NOTHING,
            "whether they fit is for the engine to say",
        )


def _said(token: Token | None) -> str:
    return "none" if token is None else f"{token.text} ({token.id})"

import json
import shutil
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from arena.errors import RecordError
from arena.execute.serving.tokenizer_files import (
    Token,
    chat_template,
    eos_token,
    template_digest,
    tokenizer_digest,
    turn_end,
)

QWEN3_LIKE = """\
{%- set ns = namespace(multi_step_tool=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- if not (message.content.startswith('<tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- break %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.role == "user" %}
        {{- '<|im_start|>user\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
        {{- '<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n' + content }}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}"""


@pytest.fixture
def copied(checkpoint: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint, tmp_path / "copied"))


def test_the_token_that_ends_a_turn_is_found_by_rendering(copied: Path) -> None:
    assert turn_end(copied) == Token(2, "<|im_end|>")
    (copied / "chat_template.jinja").write_text(QWEN3_LIKE)
    assert turn_end(copied) == Token(2, "<|im_end|>")


@pytest.mark.parametrize(
    ("template", "end"),
    [
        ("{% for m in messages %}{{ m.content }}<|endoftext|><|im_end|>{% endfor %}", Token(0, "<|endoftext|>")),
        ("{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}", None),
        ("{% for m in messages %}{{ m.content }}\n{% endfor %}", None),
        ("{{ raise_exception('only with tools') }}", None),
        ("{{ messages[0].content }}<|im_end|>", None),
        ("{% if %}", None),
        ("{{ messages.__class__.__mro__ }}{{ messages[1].content }}<|im_end|>", None),
    ],
)
def test_templates_that_say_and_that_do_not(copied: Path, template: str, end: Token | None) -> None:
    (copied / "chat_template.jinja").write_text(template)
    assert turn_end(copied) == end


def test_the_tokenizers_word_and_every_place_of_a_template_are_read(copied: Path) -> None:
    assert eos_token(copied) == Token(2, "<|im_end|>")
    own = chat_template(copied)
    digest = template_digest(copied)
    (copied / "chat_template.jinja").unlink()
    assert (chat_template(copied), turn_end(copied), template_digest(copied)) == (None, None, None)
    config = json.loads((copied / "tokenizer_config.json").read_text())
    named = [{"name": "tool_use", "template": "x"}, {"name": "default", "template": own}]
    for place in (own, named):
        (copied / "tokenizer_config.json").write_text(json.dumps(config | {"chat_template": place}))
        assert (chat_template(copied), template_digest(copied)) == (own, digest)


def test_saving_a_tokenizer_again_changes_no_digest_and_another_merge_does(copied: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(copied)
    tokenizer("the user", padding="max_length", truncation=True, max_length=9)
    tokenizer.save_pretrained(tmp_path / "again")
    assert tokenizer_digest(tmp_path / "again") == tokenizer_digest(copied)
    assert template_digest(tmp_path / "again") == template_digest(copied)
    content = json.loads((copied / "tokenizer.json").read_text())
    content["model"]["merges"].pop()
    (copied / "tokenizer.json").write_text(json.dumps(content))
    assert tokenizer_digest(tmp_path / "again") != tokenizer_digest(copied)


def test_what_is_missing_is_none_and_what_is_broken_is_named(tmp_path: Path) -> None:
    assert (tokenizer_digest(tmp_path), eos_token(tmp_path), turn_end(tmp_path)) == (None, None, None)
    (tmp_path / "tokenizer.json").write_text("[]")
    with pytest.raises(RecordError, match=r"tokenizer\.json: holds list, not an object"):
        tokenizer_digest(tmp_path)

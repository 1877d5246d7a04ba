import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.execute.serving.tool_calls import Turn, WrittenCall, read_turn


def written(body: str) -> WrittenCall:
    [call] = read_turn(f"<tool_call>{body}</tool_call>").calls
    return call


def test_calls_and_what_stands_outside_them_are_told_apart() -> None:
    turn = read_turn(
        "I look.\n<tool_call>\n"
        '{"name": "bash", "arguments": {"command": "ls </tool>", "and": {"an": ["unknown", 1]}}}\n</tool_call>\n'
        '<tool_call>{"name": "submit", "arguments": {}}</tool_call> Done.'
    )
    assert turn.content == "I look.\nDone."
    assert turn.calls == (
        WrittenCall("bash", {"command": "ls </tool>", "and": {"an": ["unknown", 1]}}),
        WrittenCall("submit", {}),
    )


def test_text_without_a_call_is_content() -> None:
    assert read_turn(' {"name": "bash"} <tool>x</tool> ') == Turn('{"name": "bash"} <tool>x</tool>', ())
    assert read_turn("") == Turn("", ())


def test_a_call_that_only_lacks_its_end_counts_and_a_cut_one_is_an_error() -> None:
    assert read_turn('a<tool_call>{"name": "x", "arguments": {}}').calls == (WrittenCall("x"),)
    [cut] = read_turn('a<tool_call>{"name": "bash", "arguments": {"command": "l').calls
    assert cut.name == "bash"
    assert cut.error is not None
    assert "Unterminated string" in cut.error


@pytest.mark.parametrize(
    ("body", "name", "error"),
    [
        ("", "unknown", "Expecting value"),
        ("{'name': 'bash'}", "unknown", "Expecting property name"),
        ('{"name": "bash", "arguments": {"command": "ls"', "bash", "Expecting ',' delimiter"),
        ('{"name": "bash", "arguments": {"command": "a\nb"}}', "bash", "Invalid control character"),
        ('{"arguments": {}}', "unknown", 'a call is {"name"'),
        ('{"name": 3, "arguments": {}}', "unknown", 'a call is {"name"'),
        ('["bash"]', "unknown", 'a call is {"name"'),
        ('{"name": "bash", "arguments": [1]}', "bash", "must be an object, not list"),
        ('{"name": "bash", "arguments": null}', "bash", "must be an object, not NoneType"),
        ('{"name": "bash", "arguments": "ls"}', "bash", "Expecting value"),
        ('{"name": "bash", "arguments": {"n": NaN}}', "bash", "a number that JSON does not have"),
        ('{"name": "bash", "arguments": {"n": [-Infinity]}}', "bash", "a number that JSON does not have"),
        (r'{"name": "bash", "arguments": {"\ud800": 1}}', "bash", "half of a surrogate pair"),
        ('{"name": "bash", "arguments": {"n": ' + "9" * 5000 + "}}", "bash", "Exceeds the limit"),
        ('{"name": "bash", "arguments": {"n": ' + "[" * 200 + "]" * 200 + "}}", "bash", "nested deeper than 100"),
        ('{"name": "bash", "arguments": {"n": ' + "[" * 100_000, "bash", "nested deeper than 100"),
    ],
)
def test_a_malformed_call_is_a_call_with_its_error_and_its_text(body: str, name: str, error: str) -> None:
    call = written(body)
    assert (call.name, dict(call.arguments)) == (name, {})
    assert call.error is not None
    assert error in call.error
    assert body[:50].strip() in call.error
    assert len(call.error) < 3000


def test_arguments_that_are_json_in_a_string_are_read() -> None:
    call = written(json.dumps({"name": "bash", "arguments": json.dumps({"command": "ls"})}))
    assert call == WrittenCall("bash", {"command": "ls"})


def test_whole_surrogate_pairs_and_every_script_are_kept() -> None:
    assert written(r'{"name": "x", "arguments": {"a": "\ud83d\ude00 žluť"}}').arguments == {"a": "😀 žluť"}


PIECES = st.sampled_from(
    ["<tool_call>", "</tool_call>", '{"name": "a"', ', "arguments": ', "{}", "}", '"', "\\u", "[", "x"]
)


@given(st.lists(PIECES | st.text(max_size=5)).map("".join))
def test_no_text_raises_and_every_opened_call_is_seen(text: str) -> None:
    turn = read_turn(text)
    assert bool(turn.calls) == ("<tool_call>" in text)
    json.dumps([(call.name, dict(call.arguments), call.error) for call in turn.calls]).encode()

"""What a model is shown of a command: one form, for the agent's tools and for the transcripts that train on it."""


def command_output(stdout: str, stderr: str, ending: str, limit: int) -> str:
    """Return stdout, then stderr, then `ending` as the last line; an empty string where a command said nothing."""
    parts = [part.removesuffix("\n") for part in (stdout, stderr)]
    said = cut_middle("\n".join(part for part in parts if part), limit)
    return "\n".join(part for part in (said, ending) if part)


def exit_line(code: int) -> str:
    """Return the last line that says how a command failed, or nothing where it did not."""
    return f"[exit code {code}]" if code else ""


def cut_middle(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters and one line more: its head and its tail, and how much was cut."""
    if len(text) <= limit:
        return text
    head = limit // 2
    tail = limit - head
    return f"{text[:head]}\n[{len(text) - limit} characters cut]\n{text[len(text) - tail :]}"

class TemplateError(ValueError):
    """A template that cannot be read or rendered; says on which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line

"""What can be mistaken for what."""

import ast

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
WRONG_ARITHMETIC = {  # as often as they stand here
    "+": ("-", "-", "-", "*"),
    "-": ("+", "+", "+", "*"),
    "*": ("+", "+", "/", "-"),
    "/": ("*", "//", "+", "-"),
    "//": ("/", "%", "*"),
    "%": ("//", "/", "*"),
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
WRONG_COMPARISONS = {
    "<": ("<=", "<=", ">"),
    "<=": ("<", "<", ">="),
    ">": (">=", ">=", "<"),
    ">=": (">", ">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
METHODS: tuple[tuple[str, ...], ...] = (
    ("lower", "upper", "title", "capitalize", "casefold", "swapcase"),
    ("strip", "lstrip", "rstrip"),
    ("startswith", "endswith"),
    ("split", "rsplit"),
    ("partition", "rpartition"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("append", "extend"),
    ("add", "discard"),
    ("pop", "popleft"),
    ("append", "appendleft"),
    ("keys", "values", "items"),
    ("ljust", "rjust", "center"),
    ("isdigit", "isalpha", "isalnum", "isspace"),
    ("isupper", "islower"),
    ("encode", "decode"),
    ("removeprefix", "removesuffix"),
    ("floor", "ceil"),
    ("update", "intersection_update", "difference_update"),
    ("union", "intersection", "difference"),
)
FUNCTIONS: tuple[tuple[str, ...], ...] = (
    ("min", "max"),
    ("any", "all"),
    ("sum", "len"),
    ("sorted", "list"),
    ("int", "float"),
)
ENDS = {"0": "-1", "-1": "0", "1": "0", ":-1": "1:", "1:": ":-1", "::-1": "::1"}

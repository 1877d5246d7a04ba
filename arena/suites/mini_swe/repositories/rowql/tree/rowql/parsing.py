"""From tokens to a query."""

from rowql.errors import QueryError
from rowql.tokens import Token, tokenize
from rowql.tree import Aggregate, Binary, Column, Expression, Item, Member, Order, Query, Unary, Value

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
AGGREGATES = ("count", "sum", "min", "max", "avg")
CONSTANTS = {"null": None, "true": True, "false": False}


def parse(text: str) -> Query:
    """Read a query; raises `QueryError` that names the place."""
    return Parser(text).query()


class Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.index = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def accept(self, *texts: str) -> bool:
        """Go past the next tokens if they are these symbols or keywords."""
        ahead = self.tokens[self.index : self.index + len(texts)]
        if all(token.kind in ("symbol", "keyword") for token in ahead) and [each.text for each in ahead] == list(texts):
            self.index += len(texts)
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text!r}")

    def error(self, message: str) -> QueryError:
        got = self.token.text or "the end"
        return QueryError(f"column {self.token.position + 1}: {message}, got {got}")

    def query(self) -> Query:
        items = () if self.accept("*") else self.items()
        where = self.expression() if self.accept("where") else None
        group = self.expressions() if self.accept("group", "by") else ()
        order = self.orders() if self.accept("order", "by") else ()
        limit = self.number() if self.accept("limit") else None
        offset = self.number() if self.accept("offset") else 0
        if self.token.kind != "end":
            raise self.error("expected the end")
        return Query(items, where, group, order, limit, offset)

    def items(self) -> tuple[Item, ...]:
        found = [self.item()]
        while self.accept(","):
            found.append(self.item())
        return tuple(found)

    def item(self) -> Item:
        """Read one item; without `as` it is called as it is written."""
        start = self.token.position
        expression = self.expression()
        written = self.text[start : self.token.position].strip()
        return Item(self.name() if self.accept("as") else written, expression)

    def expressions(self) -> tuple[Expression, ...]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return tuple(found)

    def orders(self) -> tuple[Order, ...]:
        found = [self.order()]
        while self.accept(","):
            found.append(self.order())
        return tuple(found)

    def order(self) -> Order:
        expression = self.expression()
        if self.accept("desc"):
            return Order(expression, descending=True)
        self.accept("asc")
        return Order(expression)

    def number(self) -> int:
        if self.token.kind != "number" or "." in self.token.text:
            raise self.error("expected a whole number")
        self.index += 1
        return int(self.tokens[self.index - 1].text)

    def name(self) -> str:
        if self.token.kind != "name":
            raise self.error("expected a name")
        self.index += 1
        return self.tokens[self.index - 1].text

    def expression(self) -> Expression:
        left = self.conjunction()
        while self.accept("or"):
            left = Binary("or", left, self.conjunction())
        return left

    def conjunction(self) -> Expression:
        left = self.negation()
        while self.accept("and"):
            left = Binary("and", left, self.negation())
        return left

    def negation(self) -> Expression:
        if self.accept("not"):
            return Unary("not", self.negation())
        return self.comparison()

    def comparison(self) -> Expression:
        left = self.sum()
        for operator in COMPARISONS:
            if self.accept(operator):
                return Binary(operator, left, self.sum())
        if self.accept("not", "in"):
            return Unary("not", Member(left, self.choices()))
        if self.accept("in"):
            return Member(left, self.choices())
        if self.accept("not", "like"):
            return Unary("not", Binary("like", left, self.sum()))
        if self.accept("like"):
            return Binary("like", left, self.sum())
        return left

    def choices(self) -> tuple[Expression, ...]:
        self.expect("(")
        found = self.expressions()
        self.expect(")")
        return found

    def sum(self) -> Expression:
        left = self.product()
        while self.token.text in ("+", "-") and self.token.kind == "symbol":
            operator = self.token.text
            self.index += 1
            left = Binary(operator, left, self.product())
        return left

    def product(self) -> Expression:
        left = self.signed()
        while self.token.text in ("*", "/", "%") and self.token.kind == "symbol":
            operator = self.token.text
            self.index += 1
            left = Binary(operator, left, self.signed())
        return left

    def signed(self) -> Expression:
        if self.accept("-"):
            return Unary("-", self.signed())
        return self.atom()

    def atom(self) -> Expression:
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        token = self.token
        if token.kind not in ("number", "string", "name") and token.text not in CONSTANTS:
            raise self.error("expected a value")
        self.index += 1
        if token.kind == "number":
            return Value(float(token.text) if "." in token.text else int(token.text))
        if token.kind == "string":
            return Value(token.text)
        if token.kind == "keyword":
            return Value(CONSTANTS[token.text])
        return self.call(token.text) if self.accept("(") else Column(token.text)

    def call(self, name: str) -> Expression:
        """Read an aggregate from behind its opening parenthesis."""
        if name.lower() not in AGGREGATES:
            raise QueryError(f"unknown function {name}; there are {', '.join(AGGREGATES)}")
        operand = None if name.lower() == "count" and self.accept("*") else self.expression()
        self.expect(")")
        return Aggregate(name.lower(), operand)

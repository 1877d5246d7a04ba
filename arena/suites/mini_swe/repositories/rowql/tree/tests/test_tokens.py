import pytest

from rowql import QueryError
from rowql.tokens import tokenize


def kinds(text):
    return [(token.kind, token.text) for token in tokenize(text)[:-1]]


def test_names_and_symbols():
    assert kinds("a + b_1") == [("name", "a"), ("symbol", "+"), ("name", "b_1")]


def test_keywords_in_any_case():
    assert kinds("WHERE") == [("keyword", "where")]


def test_names_keep_their_case():
    assert kinds("Name") == [("name", "Name")]


def test_numbers():
    assert kinds("12 1.5") == [("number", "12"), ("number", "1.5")]


def test_strings():
    assert kinds("'a b'") == [("string", "a b")]


def test_two_quotes_in_a_string_are_one():
    assert kinds("'it''s'") == [("string", "it's")]


@pytest.mark.parametrize("symbol", ["<=", ">=", "!="])
def test_long_symbols_are_one_token(symbol):
    assert kinds(f"a{symbol}1")[1] == ("symbol", symbol)


def test_positions_are_kept():
    assert [token.position for token in tokenize("ab  c")] == [0, 4, 5]


def test_strange_characters_are_named_with_their_column():
    with pytest.raises(QueryError, match="column 3: '#' is not understood"):
        tokenize("a #")

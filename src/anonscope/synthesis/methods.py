"""Every method of synthesis, in the order in which they are shown."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from anonscope.errors import OptionError, shown
from anonscope.synthesis.adaptive import Adaptive
from anonscope.synthesis.cart import Cart
from anonscope.synthesis.components import Pca, Svd
from anonscope.synthesis.condensation import Condensation, Hybrid
from anonscope.synthesis.copula import Copula
from anonscope.synthesis.method import Method
from anonscope.synthesis.private_pca import PrivatePca
from anonscope.synthesis.tree import Tree

METHODS: dict[str, type[Method]] = {
    method.name: method for method in (Tree, Adaptive, PrivatePca, Cart, Condensation, Hybrid, Svd, Pca, Copula)
}


def method_called(name: str) -> type[Method]:
    """Return a method by its name, or say which there are."""
    if name not in METHODS:
        raise OptionError(f"No method is called {shown(name)}. There are: {', '.join(METHODS)}.")
    return METHODS[name]


def method_of(name: str, parameters: Mapping[str, float] | None = None) -> Method:
    """Return a method with its parameters, or say which there are."""
    kind = method_called(name)
    known = {field.name: field for field in fields(kind)}
    given: dict[str, Any] = {}
    for key, value in (parameters or {}).items():
        if key not in known:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            raise OptionError(f"Method {name} has no parameter {shown(key)}. {has}")
        given[key] = int(value) if known[key].type is int and value == int(value) else value
    return kind(**given)

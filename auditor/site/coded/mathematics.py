"""Typeset formulas of code: Python expressions as LaTeX, and LaTeX as MathML."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping

from auditor.core.errors import InputError
from auditor.site.formulas.scripts import GREEK

Symbols = Mapping[str, str]
"""Name in the code -> symbol, such as ``epsilon`` or ``n_0``."""

_PARTS = re.compile(r"(?:(tilde|hat)_)?([A-Za-z]|[A-Z]?[a-z]+)(?:_?(\d+)|_(.+))?(\^.)?")
_VARIANTS = {"epsilon": r"\varepsilon", "phi": r"\varphi"}
_FUNCTIONS = {"log": r"\log", "log2": r"\log_2", "exp": r"\exp", "min": r"\min", "max": r"\max",
              "tanh": r"\tanh", "cos": r"\cos", "sin": r"\sin", "fsum": r"\sum"}  # fmt: skip
_SIGNS = {ast.Eq: "=", ast.NotEq: r"\neq", ast.Lt: "<", ast.LtE: r"\leq", ast.Gt: ">",
          ast.GtE: r"\geq"}  # fmt: skip
_SUM, _PRODUCT, _SIGNED, _ATOM = range(4)


def mathml(latex: str, *, large: bool = False) -> str:
    """Return LaTeX as MathML, which browsers set without a script.

    Parameters
    ----------
    latex : str
    large : bool
        Whether fractions are as large as in a formula on a line of its own.

    Raises
    ------
    InputError
        If the extra ``site`` is not installed.
    """
    try:
        from latex2mathml.converter import convert
    except ImportError as error:
        raise InputError(
            f"{error.name} is not installed; the site needs: pip install 'dp-touchstone[site]'"
        ) from None
    text = convert(latex).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "", 1)
    return text.replace("<math", '<math displaystyle="true"', 1) if large else text


def symbol(name: str) -> str:
    r"""Return a symbol in LaTeX: ``tilde_epsilon`` is ``\tilde{\varepsilon}``, a word is upright.

    Parameters
    ----------
    name : str
        Such as ``T``, ``n_0``, ``N0``, ``sigma``, ``beta^0`` or a name of several words.
    """
    found = _PARTS.fullmatch(name)
    if found is None or not (len(found[2]) == 1 or found[2] in GREEK):
        return rf"\text{{{name.strip('_').replace('_', ' ')}}}"
    base = _VARIANTS.get(found[2], rf"\{found[2]}" if found[2] in GREEK else found[2])
    base = rf"\{found[1]}{{{base}}}" if found[1] else base
    below = found[3] or found[4] or ""
    if below.isdigit():
        base += f"_{{{below}}}"
    elif below:
        base += f"_{{{symbol(below)}}}"
    return base + (found[5] or "")


def latex(node: ast.expr, symbols: Symbols) -> str:
    """Return an expression as LaTeX.

    Parameters
    ----------
    node : expr
        As :mod:`auditor.site.coded.reading` gives it.
    symbols : mapping
        A name without one is set as a symbol or as words: see :func:`symbol`.
    """
    return _Writer(symbols).of(simplified(node))


class _Writer:
    """Write expressions, with brackets where an operator needs them."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols

    def of(self, node: ast.expr, level: int = _SUM) -> str:
        """Return an expression in LaTeX, in brackets if it binds less than a level."""
        text, own = self._written(node)
        return rf"\left({text}\right)" if own < level else text

    def _written(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(value=value):
                return _number(value)
            case ast.Name(id=name):
                return symbol(self._symbols.get(name, name)), _ATOM
            case ast.Attribute():
                return symbol(self._symbols.get(ast.unparse(node), node.attr)), _ATOM
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                right = self.of(node.right, _SUM if sign == "+" else _PRODUCT)
                return f"{self.of(node.left)} {sign} {right}", _SUM
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                return self._product(node)
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                quotient = self.of(ast.BinOp(left, ast.Div(), right))
                return rf"\left\lfloor {quotient} \right\rfloor", _ATOM
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return f"{self.of(left, _ATOM)}^{{{self._exponent(right)}}}", _PRODUCT
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return f"-{self.of(inner, _PRODUCT)}", _SUM
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._cases(test, body, orelse), _ATOM
            case ast.Call():
                return self._call(node)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(place))):
                return f"{self.of(value, _ATOM)}_{{{place + 1}}}", _ATOM
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                relation = _SIGNS.get(type(op))
                if relation:
                    return f"{self.of(left)} {relation} {self.of(right)}", _SUM
        return rf"\text{{{_plain(ast.unparse(node))}}}", _ATOM

    def _exponent(self, node: ast.expr) -> str:
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return f"{self.of(left, _PRODUCT)}/{self.of(right, _ATOM)}"
        return self.of(node)

    def _product(self, node: ast.expr) -> tuple[str, int]:
        above, below = factors(node)
        text = self._factors(above) or "1"
        if below:
            return rf"\frac{{{text}}}{{{self._factors(below)}}}", _PRODUCT
        return text, _PRODUCT

    def _factors(self, parts: list[ast.expr]) -> str:
        level = _PRODUCT if len(parts) > 1 else _SUM
        texts = [self.of(part, level) for part in parts]
        found = "".join(texts[:1])
        for place, text in enumerate(texts[1:]):
            after_number = place == 0 and _is_number(parts[0]) and not text.startswith(r"\text")
            found += (r" \cdot " if text[0].isdigit() else " " if after_number else r" \, ") + text
        return found

    def _cases(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
        lines = [rf"{self.of(body)} & \text{{if }} {self._condition(test)}"]
        while isinstance(orelse, ast.IfExp):
            lines.append(rf"{self.of(orelse.body)} & \text{{if }} {self._condition(orelse.test)}")
            orelse = orelse.orelse
        lines.append(rf"{self.of(orelse)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(lines) + r" \end{cases}"

    def _condition(self, test: ast.expr) -> str:
        match test:
            case ast.Name() | ast.Attribute():
                return rf"{self.of(test)} \neq 0"
        return self.of(test)

    def _call(self, node: ast.Call) -> tuple[str, int]:
        name = _called(node)
        inner = arguments_of(node)
        if _of_numbers(node):
            if name == "sqrt":
                return rf"\sqrt{{{self.of(inner[0])}}}", _ATOM
            if name in ("ceil", "floor"):
                side = name.removesuffix("ing")
                return rf"\left\l{side} {self.of(inner[0])} \right\r{side}", _ATOM
            if name in ("abs", "fabs"):
                return rf"\left| {self.of(inner[0])} \right|", _ATOM
            if name == "exp" and not _is_tall(inner[0]):
                return f"e^{{{self.of(inner[0])}}}", _PRODUCT
            if name == "fsum" and isinstance(inner[0], ast.GeneratorExp):
                return self._sum(inner[0])
            if name in _FUNCTIONS:
                return rf"{_FUNCTIONS[name]}{self._bracketed(inner)}", _PRODUCT
        if isinstance(node.func, ast.Attribute) and not _of_numbers(node):
            key = ast.unparse(node.func)
            if key in self._symbols or isinstance(node.func.value, ast.Name):
                title = symbol(self._symbols.get(key, node.func.attr))
                return title + (self._bracketed(inner) if inner else ""), _ATOM
            inner = [node.func.value]  # a.max() is max(a)
        title = symbol(self._symbols.get(name, name)) if name not in _FUNCTIONS else name
        title = _FUNCTIONS.get(name, title)
        return f"{title}{self._bracketed(inner)}", _PRODUCT

    def _sum(self, node: ast.GeneratorExp) -> tuple[str, int]:
        (loop,) = node.generators
        body = self.of(node.elt, _PRODUCT)
        match loop.iter:
            case ast.Call(func=ast.Name(id="range"), args=[start, stop]):
                last = simplified(ast.BinOp(stop, ast.Sub(), ast.Constant(1)))
                first = f"{self.of(loop.target)}={self.of(start)}"
                return rf"\sum_{{{first}}}^{{{self.of(last)}}} {body}", _PRODUCT
        return rf"\sum_{{{self.of(loop.target)}}} {body}", _PRODUCT

    def _bracketed(self, arguments: list[ast.expr]) -> str:
        shown = [part for part in arguments if not _is_text(part)]
        return rf"\left({', '.join(self.of(part) for part in shown)}\right)"


def _is_tall(node: ast.expr) -> bool:
    """Return whether an expression has a quotient or a call, which are small in an exponent."""
    return any(
        isinstance(part, ast.Call)
        or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div | ast.FloorDiv))
        for part in ast.walk(node)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _plain(text: str) -> str:
    return re.sub(r"[\\{}$%#&~^]", " ", text).replace("_", " ")


def _number(value: object) -> tuple[str, int]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return rf"\text{{{_plain(str(value))}}}", _ATOM
    text = f"{value:.6g}" if abs(value) < 1e6 or value != int(value) else f"{value:.3g}"
    mantissa, _, exponent = text.partition("e")
    if exponent:
        power = f"10^{{{int(exponent)}}}"
        return (power if mantissa == "1" else rf"{mantissa} \cdot {power}"), _PRODUCT
    return text, _ATOM if value >= 0 else _SUM


def arguments_of(node: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call without their names."""
    return [*node.args, *(word.value for word in node.keywords)]


def _called(node: ast.Call) -> str:
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _of_numbers(node: ast.Call) -> bool:
    """Return whether a call is of a function of mathematics, not of an object's own."""
    match node.func:
        case ast.Attribute(value=ast.Name(id="math" | "np")):
            return True
        case ast.Name(id=name):
            return name in ("min", "max", "abs") or (
                name in ("sqrt", "log", "exp") and not hasattr(node.func, "function")
            )
    return False


def factors(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    """Return the factors of a product above and below the line, numbers first."""
    above: list[ast.expr] = []
    below: list[ast.expr] = []

    def visit(part: ast.expr, here: list[ast.expr], there: list[ast.expr]) -> None:
        match part:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                visit(left, here, there)
                visit(right, here, there)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                visit(left, here, there)
                visit(right, there, here)
            case _:
                here.append(part)

    visit(node, above, below)
    return _numbers_first(above), _numbers_first(below)


def _numbers_first(parts: list[ast.expr]) -> list[ast.expr]:
    return sorted((part for part in parts if not _is(1, part)), key=lambda p: not _is_number(p))


# -------------------------------------------------------------------------- simplification


def simplified(node: ast.expr) -> ast.expr:
    """Return an expression without factors and divisors of 1, roots of squares and the like."""
    return _Simplifier().visit(copy.deepcopy(node))  # type: ignore[no-any-return]


class _Simplifier(ast.NodeTransformer):
    """Leave out what the code has for the computer's sake; keep every value."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        one, other = node.left, node.right
        match node.op:
            case ast.Mult() if _is(1, one):
                return other
            case ast.Mult() | ast.Div() | ast.Pow() if _is(1, other):
                return one
            case ast.Add() | ast.Sub() if _is(0, other):
                return one
            case ast.Mult():
                positive, negated = _without_sign(one), _negated(other)
                if positive is not None and negated is not None:
                    return ast.BinOp(positive, ast.Mult(), negated)
            case ast.Sub():
                match one:
                    case ast.BinOp(left=inner, op=ast.Add(), right=last) if _same(last, other):
                        return inner
                match one, other:
                    case ast.BinOp(left=x, op=ast.Add(), right=last), ast.BinOp(
                        left=y, op=ast.Add(), right=also
                    ) if _same(last, also):
                        return ast.BinOp(x, ast.Sub(), y)
                match one, other:
                    case ast.Call(args=[x]), ast.Call(args=[y]) if _logs(one, other):
                        return _log(ast.BinOp(x, ast.Div(), y))
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Write -log(x) as log(1/x), and -(a log(x)) as a log(1/x)."""
        self.generic_visit(node)
        if isinstance(node.op, ast.USub):
            return _negated(node.operand) or node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=ast.Tuple(elts=parts), slice=ast.Constant(value=int(place))):
                return parts[place]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not _of_numbers(node):
            return node
        name, inner = _called(node), node.args
        match name, inner:
            case "sqrt", [ast.Constant(value=1 | 1.0)]:
                return ast.Constant(1)
            case "sqrt", [ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2))]:
                return base
            case "min" | "max", [*numbers] if all(_is_number(n) for n in numbers):
                values = [n.value for n in numbers]  # type: ignore[attr-defined]
                return ast.Constant((min if name == "min" else max)(values))
            case "log1p", [x]:
                return _log(ast.BinOp(ast.Constant(1), ast.Add(), x))
            case "expm1", [x]:
                return ast.BinOp(ast.Call(ast.Name("exp"), [x], []), ast.Sub(), ast.Constant(1))
            case "hypot", [x, y]:
                squares = [ast.BinOp(part, ast.Pow(), ast.Constant(2)) for part in (x, y)]
                return ast.Call(
                    ast.Name("sqrt"), [ast.BinOp(squares[0], ast.Add(), squares[1])], []
                )
        return node


def _negated(node: ast.expr) -> ast.expr | None:
    """Return minus an expression, if that is one without a minus sign."""
    match node:
        case ast.Call(args=[x]) if _called(node) in ("log", "log2"):
            return ast.Call(node.func, [ast.BinOp(ast.Constant(1), ast.Div(), x)], [])
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for one, other in ((left, right), (right, left)):
                inside = _negated(other)
                if inside is not None:
                    pair = (one, inside) if one is left else (inside, one)
                    return ast.BinOp(pair[0], ast.Mult(), pair[1])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return inner
    return None


def _without_sign(node: ast.expr) -> ast.expr | None:
    """Return a product without the minus sign before it; None if there is none."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return inner
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            positive = _without_sign(left)
            return None if positive is None else ast.BinOp(positive, ast.Mult(), right)
    return None


def _log(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("log"), [node], [])


def _logs(one: ast.Call, other: ast.Call) -> bool:
    return _called(one) == _called(other) == "log"


def _is(number: int, node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and type(node.value) in (int, float)
        and (node.value == number)
    )


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)

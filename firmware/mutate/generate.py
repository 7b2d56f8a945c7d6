"""The mutants of a C file, by a rule: each operator is swapped, each constant raised by one, each statement left out.

A mutant is named by its file, its function, what it changes, and its number among those that look alike there: so a change
elsewhere in the file leaves its name. Comments, contracts, strings, includes and declarations without a value are left alone.
The same text gives the same mutants.
"""

import re
from collections import Counter
from dataclasses import dataclass

# The longest first: a scanner takes the first that fits.
OPERATORS = [
    ("<<=", ">>="), (">>=", "<<="), ("&&", "||"), ("||", "&&"), ("==", "!="), ("!=", "=="), ("<=", "<"), (">=", ">"),
    ("<<", ">>"), (">>", "<<"), ("++", "--"), ("--", "++"), ("+=", "-="), ("-=", "+="), ("|=", "&="), ("&=", "|="),
    ("^=", "|="), ("*=", "+="), ("->", None), ("<", "<="), (">", ">="), ("+", "-"), ("-", "+"), ("|", "&"), ("&", "|"),
    ("^", "|"), ("~", ""), ("!", ""), ("%", "*"), ("/", "*"), ("*", "/"),
]  # fmt: skip
CONSTANT = re.compile(r"(?<![\w.])(0[xX][0-9A-Fa-f]+|\d+)([uUlL]*)(?![\w.])")
# One statement that begins and ends on lines of its own; what follows an `if (...)` on its line is one too.
STATEMENT = re.compile(r"(?<=[;{}):])\s*((?:\(void\))?[A-Za-z_*][^;{}]*?(?:=|\(|\+\+|--)[^;{}]*;)")
KEYWORD = re.compile(r"^(?:return|if|for|while|switch|else|case|default|typedef|extern|do)\b")
TYPE = re.compile(r"^(?:static |const |volatile |extern )*(?:struct |enum )?(?:u?int\w*_t|int|void|size_t|unsigned|char|"
                  r"bool|[a-z_]+_t|struct \w+|enum \w+|const \w+)\s+\**\w+(?:\[[^]]*\])*\s*(?:=|;|\()")


@dataclass(frozen=True)
class Mutant:
    file: str
    function: str  # "" of a constant outside of any
    was: str
    now: str
    nth: int
    at: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.file} {self.function or '#define'} {self.was!r} -> {self.now!r} #{self.nth}"


def blank(text: str) -> str:
    """The text with comments, strings, includes and conditionals of the preprocessor blanked, each place kept."""
    def spaces(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r"/\*.*?\*/|//[^\n]*", spaces, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', spaces, text)
    text = re.sub(r"'(?:\\.|[^'\\\n])'", spaces, text)
    return re.sub(r"^[ \t]*#[ \t]*(?!define\b)[^\n]*", spaces, text, flags=re.M)


def functions(code: str) -> list[tuple[int, int, str]]:
    """Where each function's body is: from, to, name."""
    found = []
    for match in re.finditer(r"^(?=[A-Za-z_])[^;{}=#]*?\b(\w+)\s*\([^;{}]*\)\s*\{", code, flags=re.M):
        depth, at = 1, match.end()
        while depth and at < len(code):
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
        found.append((match.end(), at, match.group(1)))
    return found


def is_binary(code: str, at: int) -> bool:
    before = code[:at].rstrip()
    cast = re.search(r"\((?:u?int\d+_t|unsigned long|unsigned)\)$", before)
    return bool(before) and (before[-1].isalnum() or before[-1] in "_])") and not cast and not before.endswith("return")


def operators(code: str, begin: int, end: int):
    at = begin
    while at < end:
        for was, now in OPERATORS:
            if code.startswith(was, at):
                unary = was in ("*", "&", "-", "+") and not is_binary(code, at)
                declares = was == "*" and re.match(r"\*\s*\w+\s*(?:[;,)=]|$)", code[at:at + 40]) and re.search(
                    r"(?:_t|void|struct \w+|const)\s*$", code[:at])
                if now is not None and not unary and not declares:
                    yield at, at + len(was), now
                at += len(was)
                break
        else:
            at += 1


def constants(code: str, begin: int, end: int):
    for match in CONSTANT.finditer(code, begin, end):
        digits, suffix = match.groups()
        value = int(digits, 0) + 1
        yield match.start(), match.end(), (hex(value) if digits[:2] in ("0x", "0X") else str(value)) + suffix


def statements(code: str, begin: int, end: int):
    for match in STATEMENT.finditer(code, begin - 1, end):
        text = match.group(1)
        if not KEYWORD.match(text) and not TYPE.match(text):
            yield match.start(1), match.end(1), ";"


def mutants(file: str, text: str) -> list[Mutant]:
    code = blank(text)
    places = [(begin, end, name) for begin, end, name in functions(code)]
    found = []
    for begin, end, name in places:
        for rule in (operators, constants, statements):
            found += [(at, to, now, name) for at, to, now in rule(code, begin, end)]
    for match in re.finditer(r"^[ \t]*#define[ \t]+\w+(?:\([^)]*\))?([^\n]*)", code, flags=re.M):
        found += [(at, to, now, "") for at, to, now in constants(code, match.start(1), match.end(1))]
        found += [(at, to, now, "") for at, to, now in operators(code, match.start(1), match.end(1))]
    result, alike = [], Counter()
    for at, to, now, name in sorted(set(found)):
        was = " ".join(text[at:to].split())
        alike[name, was, now] += 1
        result.append(Mutant(file, name, was, now, alike[name, was, now], at, to))
    return result


def spoilt(text: str, mutant: Mutant) -> str:
    return text[:mutant.at] + mutant.now + text[mutant.end:]

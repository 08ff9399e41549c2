"""The header of an ARFF file: its attributes, and how values are quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass

from termsift.errors import InvalidInput, UnreadableFile, unknown

# Weka parts words at ASCII blanks alone, so that a term may hold any other character.
QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s'\"{{][^\s{{]*)\s*(.*)", re.IGNORECASE | re.ASCII)
VALUE = re.compile(rf"\s*((?:{QUOTED})\s*|[^\s,'\"{{}}%][^,{{}}%]*)(?:,|$)", re.ASCII)
BEFORE_COMMENT = re.compile(rf"(?:{QUOTED}|[^%'\"])*(?=%|$)")
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, its kind ('number', 'string' or 'nominal') and the values of a nominal one."""

    name: str
    kind: str
    values: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, 0 where a sparse row leaves them out; as {0, 1} often is."""
        if self.kind != "nominal":
            return self.kind == "number"
        return bool(self.values) and all(map(is_number, self.values)) and float(self.values[0]) == 0


def attributes(lines: list[str], name: str) -> list[Attribute]:
    """The attributes of a header.

    name : how the file is called in errors

    >>> attributes(["% words", "@relation mail", "@attribute 'free lunch' numeric"], "mail.arff")
    [Attribute(name='free lunch', kind='number', values=())]
    """
    found = []
    for number, line in enumerate(lines, 1):
        text = without_comment(line.strip(" \t\r"))
        if not text or text.lower().startswith("@relation"):
            continue
        found.append(attribute(text, f"line {number} of {name}"))
    return found


def attribute(line: str, where: str) -> Attribute:
    """The attribute that a line declares."""
    parts = ATTRIBUTE.fullmatch(line)
    if parts is None:
        raise UnreadableFile(f"{where} is not an attribute: {shortened(line)}")
    name, kind = unquoted(parts[1]), parts[2]
    if kind.startswith("{"):
        return Attribute(name, "nominal", nominal_values(kind, where))
    word = kind.lower()
    if word in NUMERIC:
        return Attribute(name, "number")
    if word == "string":
        return Attribute(name, "string")
    raise UnreadableFile(
        f"{where}: attribute {name!r} has the type {word!r}; numeric, string and {{...}} can be read"
    )


def nominal_values(text: str, where: str) -> tuple[str, ...]:
    """The values in the braces of a nominal attribute.

    >>> nominal_values("{ham, 'junk, or spam'}", "line 1")
    ('ham', 'junk, or spam')
    """
    values = split_values(text[1:-1]) if text.endswith("}") else None
    if values is None:
        raise UnreadableFile(
            f"{where}: the values of a nominal attribute are not a list in braces: {shortened(text)}"
        )
    return tuple(map(unquoted, values))


def split_values(text: str) -> list[str] | None:
    """Values with commas between them, as they are written; None where they cannot be told apart."""
    if "'" not in text and '"' not in text:
        values = [value.strip(" \t\r") for value in text.split(",")]
        return values if all(values) else None
    values, place = [], 0
    while place < len(text):
        found = VALUE.match(text, place)
        if found is None:
            return None
        values.append(found[1].rstrip(" \t\r"))
        place = found.end()
    return values if not text.endswith(",") else None


def without_comment(line: str) -> str:
    """A line up to a percent sign that is not quoted.

    >>> without_comment("1, '2%' % the share")
    "1, '2%'"
    """
    if "%" not in line:
        return line
    found = BEFORE_COMMENT.match(line)
    return found[0].rstrip(" \t") if found else line


def unquoted(text: str) -> str:
    r"""A value without its quotation marks and escapes.

    >>> unquoted(r"'it\'s'")
    "it's"
    """
    if text[:1] not in ("'", '"'):
        return text
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    # a character beyond the first 65,536 is written as two escapes; half of one is no character
    return ESCAPE.sub(unescaped, inner).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unescaped(found: re.Match[str]) -> str:
    """The character of an escape."""
    code, letter = found.groups()
    return chr(int(code, 16)) if code else CONTROLS.get(letter, letter)


def class_position(found: list[Attribute], wanted: int | str, name: str) -> int:
    """Which attribute is the class: by number, from the end if negative, or by name."""
    names = [attribute.name for attribute in found]
    if isinstance(wanted, str) and wanted not in names:
        raise unknown("attribute", wanted, names)
    place = names.index(wanted) if isinstance(wanted, str) else wanted
    if not -len(found) <= place < len(found):
        raise InvalidInput(f"class_attribute is {place}, but {name} has {len(found)} attributes")
    chosen = found[place]
    if chosen.kind != "nominal":
        raise InvalidInput(f"the class of {name} cannot be {chosen.name!r}, which has no list of values")
    return place % len(found)


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def shortened(text: str, most: int = 60) -> str:
    """A line as it is quoted in an error."""
    return repr(text if len(text) <= most else text[:most] + "...")

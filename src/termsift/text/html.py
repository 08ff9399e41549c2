"""Extraction of the visible text from HTML."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

HIDDEN = ("script", "style")
# tags that may occur within a word; all others separate words
INLINE = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
        "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
        "sup", "time", "tt", "u", "var", "wbr",
    )
)  # fmt: skip
SEPARATOR = "\n"


def plain_text(text: str) -> str:
    """Return the text without tags, scripts, styles and comments, with entities resolved.

    Tags of blocks, cells, lines and images separate words, inline tags (b, em, a, span, ...) do not.
    An unclosed comment, script, style or tag extends to the end. Malformed HTML is never an error.

    >>> plain_text("<p>caf&eacute; <b>A</b>B</p><p>C<script>x = 1</script>").split()
    ['café', 'AB', 'C']
    >>> plain_text("1 < 2")
    '1 < 2'
    """
    if "<" not in text:
        return unescape(text) if "&" in text else text
    page = TextExtractor()
    page.feed(drop_unclosed(text))
    page.close()
    return "".join(page.chunks)


def drop_unclosed(text: str) -> str:
    """Return the text before a comment or tag that is never closed, for which parsing would be quadratic."""
    end = text.rfind("-->")
    comment = text.find("<!--", max(end, 0))
    text = text if comment < 0 else text[:comment]
    tag = text.find("<", text.rfind(">") + 1)
    while tag >= 0 and not is_tag(text[tag + 1 : tag + 2]):
        tag = text.find("<", tag + 1)
    return text if tag < 0 else text[:tag]


def is_tag(following: str) -> bool:
    """Return whether the character after a < makes it a tag, as in browsers."""
    return following in ("/", "!", "?") or (following.isascii() and following.isalpha())


class TextExtractor(HTMLParser):
    """Parser that collects the visible text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.chunks: list[str] = []
        self.hidden_tag = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Separate words at a block tag, and hide the content of scripts and styles."""
        self.hidden_tag = tag if tag in HIDDEN else ""
        self.separate_words(tag)

    def handle_endtag(self, tag: str) -> None:
        """Separate words at the end of a block tag, and show text again."""
        self.hidden_tag = ""
        self.separate_words(tag)

    def separate_words(self, tag: str) -> None:
        """Add whitespace unless the tag is inline."""
        if tag not in INLINE:
            self.chunks.append(SEPARATOR)

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if not self.hidden_tag:
            self.chunks.append(data)

    def parse_endtag(self, i: int) -> int:
        """Return the end of an end tag; within a script only the end tag of the script counts."""
        begin = i + len("</")
        if self.hidden_tag and self.rawdata[begin : begin + len(self.hidden_tag)].lower() != self.hidden_tag:
            return begin
        return super().parse_endtag(i)

    def parse_html_declaration(self, i: int) -> int:
        """Return the end of a declaration; unknown kinds are accepted."""
        if not self.rawdata.startswith("<![", i):
            return super().parse_html_declaration(i)
        end = self.rawdata.find("]]>", i) if self.rawdata.startswith("<![CDATA[", i) else -1
        return end + len("]]>") if end >= 0 else self.rawdata.find(">", i) + 1

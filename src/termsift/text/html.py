"""Text of HTML: what a reader of the page would see, as far as words go."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

HIDDEN = ("script", "style")
# tags within a word do not part it; all others do
INLINE = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
        "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
        "sup", "time", "tt", "u", "var", "wbr",
    )
)  # fmt: skip
GAP = "\n"


def plain_text(text: str) -> str:
    """The text without tags, scripts, styles and comments, its entities resolved; nothing in it is an error.

    Tags of blocks, cells, lines and pictures part words, those of letters (b, em, a, span, ...) do not.
    A comment, script or style that is not closed goes to the end, and so does a tag.

    >>> plain_text("<p>caf&eacute; <b>A</b>B</p><p>C<script>x = 1</script>").split()
    ['café', 'AB', 'C']
    >>> plain_text("1 < 2")
    '1 < 2'
    """
    if "<" not in text:
        return unescape(text) if "&" in text else text
    page = Page()
    page.feed(without_unclosed(text))
    page.close()
    return "".join(page.parts)


def without_unclosed(text: str) -> str:
    """The text up to what is never closed: a comment or a tag whose end a parser would look for in vain."""
    end = text.rfind("-->")
    comment = text.find("<!--", max(end, 0))
    text = text if comment < 0 else text[:comment]
    tag = text.find("<", text.rfind(">") + 1)
    while tag >= 0 and not is_tag(text[tag + 1 : tag + 2]):
        tag = text.find("<", tag + 1)
    return text if tag < 0 else text[:tag]


def is_tag(following: str) -> bool:
    """Whether what follows a < makes it the beginning of a tag, as browsers have it."""
    return following in ("/", "!", "?") or (following.isascii() and following.isalpha())


class Page(HTMLParser):
    """The parts of a page that are read, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """A gap where the tag parts words."""
        self.hidden = tag if tag in HIDDEN else ""
        self.handle_gap(tag)

    def handle_endtag(self, tag: str) -> None:
        """The same."""
        self.hidden = ""
        self.handle_gap(tag)

    def handle_gap(self, tag: str) -> None:
        """A gap, unless the tag is one of letters."""
        if tag not in INLINE:
            self.parts.append(GAP)

    def handle_data(self, data: str) -> None:
        """Text, where it is seen."""
        if not self.hidden:
            self.parts.append(data)

    def parse_endtag(self, i: int) -> int:
        """Where an end tag ends; within a script none but its own is one, and none other is looked for."""
        begin = i + len("</")
        if self.hidden and self.rawdata[begin : begin + len(self.hidden)].lower() != self.hidden:
            return begin
        return super().parse_endtag(i)

    def parse_html_declaration(self, i: int) -> int:
        """Where a declaration ends; one of a kind that nobody knows is no error."""
        if not self.rawdata.startswith("<![", i):
            return super().parse_html_declaration(i)
        end = self.rawdata.find("]]>", i) if self.rawdata.startswith("<![CDATA[", i) else -1
        return end + len("]]>") if end >= 0 else self.rawdata.find(">", i) + 1

"""Text of HTML: what is read stays, the rest goes, and nothing is an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termsift.text.html import plain_text

PIECES = [
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!",
    "<?",
    "<script>",
    "</script",
    "<style",
    "<p>",
]
PIECES += [
    "<b",
    "&",
    "&amp;",
    "&#x1F600;",
    "&#xD800;",
    "&nosuch;",
    "'",
    '"',
    "=",
    "/",
    " ",
    "word",
    "क्षि",
    "\0",
]


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<td>one</td><td>two</td>", ["one", "two"]),
        ("one<br>two<br/>three", ["one", "two", "three"]),
        ("<b>w</b>ord <a href='x>y'>li</a>nk H<sub>2</sub>O", ["word", "link", "H2O"]),
        ("a<script>var x = '<p>no</p>'; if (a<b) {}</script>b", ["a", "b"]),
        ("a<SCRIPT type=x>no</Script >b<style>p { no: 1 }</style>c", ["a", "b", "c"]),
        ("a<!-- no <p> --- no -->b<!DOCTYPE html>c<?php no ?>d", ["abcd"]),
        ("a<![if IE]>b<![endif]>c<![foo[d]]>e<![CDATA[no > no]]>f", ["abcef"]),
        ("caf&eacute; &lt;tag&gt; AT&T Q&amp;A &#8364;&#x20ac;", ["café", "<tag>", "AT&T", "Q&A", "€€"]),
        ("1 < 2 and 3 > 2, I <3 you", ["1", "<", "2", "and", "3", ">", "2,", "I", "<3", "you"]),
        ("whole <a href='http://cut.off/in", ["whole"]),
        ("seen <!-- not closed", ["seen"]),
        ("seen <script> not closed", ["seen"]),
        ("<title>Name</title><body>text", ["Name", "text"]),
        ("&nbsp;a&nbsp;b", ["a", "b"]),
    ],
)
def test_visible_text_is_retained(html, words):
    assert plain_text(html).split() == words


def test_text_without_markup_is_unchanged():
    text = "no markup; 5 > 4 \u00ad \u200b"
    assert plain_text(text) is text


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=30).map("".join))
def test_malformed_html_is_never_an_error(html):
    found = plain_text(html)
    assert isinstance(found, str)
    assert len(found) <= 2 * len(html)


@given(
    st.lists(st.sampled_from(["one", "two", "zwölf", "क्षि"]), min_size=1), st.sampled_from(["p", "div", "li"])
)
def test_words_in_block_tags_are_retained(words, tag):
    html = "".join(f"<{tag} class='x'>{word}</{tag}>" for word in words)
    assert plain_text(html).split() == words


@pytest.mark.parametrize(
    "piece", ["<!--", "<a", "</", "<![x", "<?", "<script></x", "<style>", "&", "&#", "<"]
)
def test_unclosed_tags_take_linear_time(piece):
    # by a parser that does, this would take hours
    assert isinstance(plain_text(piece * 200_000), str)

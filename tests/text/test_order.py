"""Terms are in code-point order, which is that of their bytes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from termsift.text.scanner import pack_terms

# many that begin alike, that end in zero bytes, and that are longer than what is compared at a time
WORD = st.builds(
    lambda begin, times, end: begin * times + end,
    st.sampled_from(["a", "a\0", "\0", "Жя", "中"]),
    st.integers(0, 80),
    st.text(st.sampled_from("a\0b🙂"), max_size=9),
)


@settings(max_examples=300)
@given(st.lists(WORD, max_size=40, unique=True))
def test_terms_of_any_length_are_sorted_as_python_sorts_them(words):
    terms = pack_terms([word.encode() for word in words])
    assert terms.decode(terms.order()) == sorted(words)

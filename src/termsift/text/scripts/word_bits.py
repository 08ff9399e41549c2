"""What a character does in words, as bits of one number: what the compiled finders look up."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from termsift._typing import Array
from termsift.text.scripts.characters import N_CODES
from termsift.text.scripts.word_kinds import auto_kinds, unicode_kinds

NAMES = (
    "letter", "mark", "counted", "joiner", "ideograph", "cluster", "attached", "stacker", "virama",
    "word", "tag", "hash", "no_tag_after", "hebrew", "digit", "connector", "between_letters",
    "between_digits", "extend", "shown", "regional", "pictograph", "sign", "key",
)  # fmt: skip
(
    LETTER, MARK, COUNTED, JOINER, IDEOGRAPH, CLUSTER, ATTACHED, STACKER, VIRAMA, WORD, TAG,
    HASH, NO_TAG_AFTER, HEBREW, DIGIT, CONNECTOR, BETWEEN_LETTERS, BETWEEN_DIGITS, EXTEND, SHOWN,
    REGIONAL, PICTOGRAPH, SIGN, KEY,
) = (1 << bit for bit in range(len(NAMES)))  # fmt: skip
# what the pattern of scikit-learn does not see: where a text has none of these, its words are right
MORE_THAN_RUNS = MARK | JOINER | IDEOGRAPH | CLUSTER


@lru_cache(maxsize=2)
def word_bits(words: str) -> Array:
    """(code points,) what each character does in the words of a mode."""
    kinds = auto_kinds() if words == "auto" else unicode_kinds()
    bits = np.zeros(N_CODES, dtype=np.uint32)
    for bit, name in enumerate(NAMES):
        if name in kinds:
            bits |= kinds[name].astype(np.uint32) << np.uint32(bit)
    bits.flags.writeable = False
    return bits

"""What characters do in the words of each mode: named sets, which patterns spell out and finders look up."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from termsift.text.scripts import characters as of
from termsift.text.scripts.characters import Characters, categories, characters_in, matching, with_class


@lru_cache(maxsize=1)
def shared_kinds() -> dict[str, Characters]:
    """What both modes know.

    word : what `re` takes for a character of words
    mark, joiner : what is written onto a letter; the two characters that join letters or keep them apart
    ideograph, cluster : letters of scripts without spaces; `attached` may follow, below `stacker` a letter
    virama : a joiner after it shows at the end of a word too
    """
    word, category = matching(r"\w"), categories()
    as_marks = characters_in(of.LETTERS_AS_MARKS)
    mark = category["Mn"] | category["Mc"] | category["Me"] | as_marks
    joiner = characters_in("200C-200D")
    blocks = characters_in(of.COMPLEX)
    return {
        "word": word,
        "mark": mark,
        "joiner": joiner,
        "ideograph": word & characters_in(of.IDEOGRAPHIC),
        "cluster": matching(r"[^\W\d_]") & blocks & ~matching_numbers() & ~as_marks,
        "attached": mark & (blocks | characters_in(of.COMMON_MARKS)) | joiner,
        "stacker": characters_in(of.STACKERS),
        "virama": with_class(mark, 9),
        "tag": word | mark | joiner,
        "hash": characters_in("0023 0040 FF03 FF20"),
        "no_tag_after": word | mark | joiner | characters_in("0026"),
    }


@lru_cache(maxsize=1)
def auto_kinds() -> dict[str, Characters]:
    """Those of words="auto".

    letter : what `re` takes for a character of words, of scripts with spaces
    counted : marks that count as a character of a word: vowel signs (combining class 0), not accents
    quiet : the other marks, and joiners
    """
    own = shared_kinds()
    letter = own["word"] & ~own["ideograph"] & ~own["cluster"] & ~own["mark"]
    small = categories()["Me"] | characters_in(of.SELECTORS)
    counted = with_class(own["mark"], 0) & ~small
    return own | {"letter": letter, "counted": counted, "quiet": own["mark"] & ~counted | own["joiner"]}


@lru_cache(maxsize=1)
def unicode_kinds() -> dict[str, Characters]:
    """Those of words="unicode", by the names UAX #29 has for them where it has one.

    letter, hebrew : AHLetter, in two; digit : Numeric; connector : ExtendNumLet
    between_letters, between_digits : MidLetter and MidNum, each with MidNumLetQ
    extend : Extend, Format and ZWJ; shown : those that a word or an emoji ends with
    regional, pictograph : signs of flags; emoji; sign : what is an emoji if U+FE0F follows it
    key : signs that are a key with U+20E3
    """
    own, category = shared_kinds(), categories()
    mark = own["mark"] & ~characters_in("0E33 0EB3") | characters_in(of.EMOJI_MARKS)
    digit = matching(r"\d") | characters_in(of.MORE_DIGITS)
    hebrew, both = characters_in(of.HEBREW), characters_in(of.MIDDLE_OF_BOTH)
    letter = matching(r"[^\W\d_]") & ~matching_numbers() | category["Nl"] | characters_in(of.MORE_LETTERS)
    letter &= ~(own["ideograph"] | own["cluster"] | own["mark"] | hebrew | digit)
    formats = category["Cf"] & ~characters_in("200B") & ~digit & ~letter
    pictographic = characters_in(of.PICTOGRAPHIC)
    pictograph = pictographic & (category["So"] | category["Cn"]) & ~characters_in(of.SIGNS) & ~letter
    return own | {
        "letter": letter,
        "hebrew": hebrew,
        "digit": digit,
        "connector": characters_in(of.CONNECTORS),
        "between_letters": characters_in(of.MIDDLE_OF_LETTERS) | both,
        "between_digits": characters_in(of.MIDDLE_OF_DIGITS) | both,
        "extend": mark | formats | own["joiner"],
        "shown": mark,
        "regional": characters_in(of.REGIONAL),
        "pictograph": pictograph,
        "sign": pictographic & ~pictograph & ~letter,
        "key": characters_in("0023 002A"),
    }


@lru_cache(maxsize=1)
def matching_numbers() -> Characters:
    """The characters of words that are numbers but neither digits nor letters: fractions, superscripts."""
    found = np.zeros(of.N_CODES, dtype=np.bool_)
    # no plane beyond the second has any
    for code in np.flatnonzero(matching(r"[^\W\d_]")[:0x20000]).tolist():
        found[code] = not chr(code).isalpha()
    return found

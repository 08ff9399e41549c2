"""Lexicons of tokens and n-grams, and scanners that turn documents into counts of these, using kernels.

A kernel finds the tokens in the bytes of documents; a scanner counts them and fills a lexicon.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from termsift._internal.typing import Array
from termsift.text.analyzer import CHAR_ANALYZERS, Analyzer, replace_surrogates, stem_words
from termsift.text.characters import BEYOND_WORD_PATTERN, characters_matching, class_bits, parse_run

NEWLINE = 10
MAX_RADIX_BYTES = 64  # prefix of terms that is sorted by NumPy; few terms are longer
SEPARATORS = (NEWLINE, 30, 31, 0)
# parents, last tokens and depths of a lexicon without n-grams
NO_NODES = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms as joined bytes: term t is arena[ends[t - 1]:ends[t]]."""

    arena: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.ends)

    def decode(self, chosen: Array) -> list[str]:
        """Return the terms with the given numbers as str."""
        from termsift.text._lexicon_kernel import join_term_bytes

        separator = next((c for c in SEPARATORS if not bool((self.arena == c).any())), None)
        if separator is not None:
            # splitting at a character that no term contains is much faster than decoding term by term
            joined: bytes = join_term_bytes(self.arena, self.ends, *NO_NODES, chosen, separator).tobytes()
            return joined.decode().split(chr(separator))[:-1]
        raw, edges = self.arena.tobytes(), [0, *self.ends.tolist()]
        return [raw[edges[t] : edges[t + 1]].decode() for t in chosen.tolist()]

    def order(self) -> Array:
        """Return the indices that sort the terms by code points, which is the order of their UTF-8 bytes.

        Terms are sorted by their first eight bytes as one integer; ties by the next eight, and so on.
        """
        from termsift.text._lexicon_kernel import pack_eight_bytes

        order, tied = np.arange(len(self)), np.arange(len(self))
        group, offset = np.zeros(len(self), dtype=np.int64), 0
        widths = np.diff(self.ends, prepend=0)
        while len(tied) and offset < MAX_RADIX_BYTES:
            chosen = order[tied]
            keys = pack_eight_bytes(self.arena, self.ends, chosen, offset)
            # zeros pad short terms: the remaining bytes, 9 if there are more than 8, tell them apart
            n_remaining = np.minimum(widths[chosen] - offset, 9)
            inner = np.argsort(keys) if offset == 0 else np.lexsort((n_remaining, keys, group))
            order[tied] = chosen[inner]
            # groups of terms that are equal so far, and which terms are in a group with others
            group, keys, n_remaining = group[inner], keys[inner], n_remaining[inner]
            is_equal = (group[1:] == group[:-1]) & (keys[1:] == keys[:-1])
            if offset:
                # a term that ends within these eight bytes precedes all longer ones, and equals none
                is_equal &= (n_remaining[1:] == n_remaining[:-1]) & (n_remaining[1:] == 9)
            is_first = np.concatenate([[True], ~is_equal])
            is_tied = ~is_first
            is_tied[:-1] |= is_equal
            group = np.cumsum(is_first)
            tied, group, offset = tied[is_tied], group[is_tied], offset + 8
        if len(tied):
            raw, ends = self.arena.tobytes(), self.ends.tolist()
            keyed = [
                (g, raw[ends[t - 1] if t else 0 : ends[t]], t)
                for g, t in zip(group.tolist(), order[tied].tolist(), strict=True)
            ]
            order[tied] = [t for _, _, t in sorted(keyed)]
        return order


class Vocabulary:
    """Terms numbered in order of arrival, in a hash table. `sizes` holds (bytes used, terms)."""

    def __init__(self) -> None:
        self.sizes = np.zeros(2, dtype=np.int64)
        self.arena = np.empty(1 << 16, dtype=np.uint8)
        self.rows = np.empty((0, 4), dtype=np.int64)
        self.reserve(1 << 13)

    def __len__(self) -> int:
        return int(self.sizes[1])

    @property
    def terms(self) -> Terms:
        """All terms, in order of arrival."""
        rows = self.rows[: len(self)]
        return Terms(self.arena[: self.sizes[0]], rows[:, 0] + rows[:, 1])

    def reserve(self, capacity: int) -> None:
        """Enlarge the hash table for `capacity` terms."""
        from termsift.text._lexicon_kernel import rehash

        self.rows = grow_array(self.rows, capacity)
        self.table = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash(self.rows, len(self), self.table)

    def double_capacity(self) -> None:
        """Double the capacity for terms and for their bytes."""
        self.reserve(2 * len(self.rows))
        self.arena = grow_array(self.arena, 2 * len(self.arena))

    def add(self, terms: Terms, *, frozen: bool = False) -> Array:
        """Add the terms that are new, and return the number of each term; if frozen, -1 for new ones."""
        from termsift.text._lexicon_kernel import hash_terms

        rows = np.empty((len(terms), 4), dtype=np.int64)
        hash_terms(terms.arena, terms.ends, rows)
        return self.merge(terms.arena, rows, frozen=frozen)

    def merge(self, arena: Array, rows: Array, *, frozen: bool = False) -> Array:
        """Add the new terms of another vocabulary, and return the number of each of its terms."""
        from termsift.text._lexicon_kernel import merge_tokens

        if not frozen and len(self) + len(rows) > len(self.rows):
            self.reserve(_next_power_of_two(len(self) + len(rows)))
        if not frozen and self.sizes[0] + len(arena) > len(self.arena):
            self.arena = grow_array(self.arena, _next_power_of_two(int(self.sizes[0]) + len(arena)))
        number = np.empty(len(rows), dtype=np.int32)
        merge_tokens(arena, rows, number, frozen, self.arena, self.rows, self.table, self.sizes)
        return number


def grow_array(array: Array, capacity: int, fill: int | None = None) -> Array:
    """Return an array of `capacity` rows that begins with the given one."""
    shape = (capacity, *array.shape[1:])
    new = np.empty(shape, dtype=array.dtype) if fill is None else np.full(shape, fill, dtype=array.dtype)
    new[: len(array)] = array
    return new


def _next_power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n and at least 2."""
    return 1 << max(n - 1, 1).bit_length()


def pack_terms(terms: Sequence[bytes]) -> Terms:
    """Return terms as joined bytes."""
    ends = np.cumsum([len(term) for term in terms], dtype=np.int64)
    return Terms(np.frombuffer(b"".join(terms), dtype=np.uint8), ends)


@dataclass(frozen=True, slots=True, eq=False)
class RankedTerms:
    """Terms in code-point order, and the rank of each token and n-gram, -1 if it is not a term."""

    names: list[str]
    token_ranks: Array
    node_ranks: Array

    def ranks(self, codes: Array) -> Array:
        """Return the ranks of token and n-gram codes."""
        return map_codes(codes, self.token_ranks, self.node_ranks)


class Lexicon:
    """Tokens, stop words first, and n-grams of two or more tokens as (depth, parent, last token).

    The parent of a bigram is a token, that of a longer n-gram an n-gram. `size` holds the number of n-grams.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.tokens = Vocabulary()
        # no token is empty or contains a lone surrogate
        words = [word.encode() for word in stop_words if word and word == replace_surrogates(word)]
        self.stops = len(self.tokens.add(pack_terms(words)))
        self.size = np.zeros(1, dtype=np.int64)
        self.parents, self.lasts, self.depths = NO_NODES
        self.reserve_nodes(2)

    @property
    def nodes(self) -> tuple[Array, Array, Array]:
        """Parents, last tokens and depths of all n-grams."""
        n = int(self.size[0])
        return self.parents[:n], self.lasts[:n], self.depths[:n]

    def reserve_nodes(self, capacity: int) -> None:
        """Enlarge the hash table for `capacity` n-grams."""
        from termsift.text._lexicon_kernel import rehash_pairs

        self.parents, self.lasts = grow_array(self.parents, capacity), grow_array(self.lasts, capacity)
        self.depths = grow_array(self.depths, capacity)
        self.pairs = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash_pairs(self.parents, self.lasts, self.depths, self.size[0], self.pairs)

    def merge(self, lexicon: Lexicon) -> tuple[Array, Array]:
        """Add the tokens and n-grams of another lexicon, and return their numbers in this one."""
        tokens = lexicon.tokens
        token_number = self.tokens.merge(tokens.arena[: tokens.sizes[0]], tokens.rows[: len(tokens)])
        return token_number, self.merge_nodes(lexicon, token_number, np.empty(0, dtype=np.int32))

    def merge_nodes(
        self, lexicon: Lexicon, token_number: Array, number: Array, *, frozen: bool = False
    ) -> Array:
        """Add the n-grams of another lexicon after the first ones, whose numbers here are known.

        token_number : the number of each token of the other lexicon in this one
        Return the number of each n-gram; if frozen, -1 for new ones.
        """
        from termsift.text._lexicon_kernel import merge_nodes

        first, n = len(number), int(lexicon.size[0])
        if not frozen and self.size[0] + n - first > len(self.parents):
            self.reserve_nodes(_next_power_of_two(int(self.size[0]) + n - first))
        number = grow_array(number, n)
        merge_nodes(
            *lexicon.nodes, first, token_number, number, frozen,
            self.parents, self.lasts, self.depths, self.pairs, self.size,
        )  # fmt: skip
        return number

    def rank_terms(self, min_tokens: int) -> RankedTerms:
        """Return the terms of at least `low` tokens in code-point order.

        A space precedes every character of a token, so n-grams are in the order of their tokens' ranks.
        """
        from termsift.text._lexicon_kernel import sort_tokens_and_ngrams

        terms, n_nodes = self.tokens.terms, int(self.size[0])
        order = terms.order()
        chosen = sort_tokens_and_ngrams(
            order, _invert_order(order, len(terms)), *self.nodes, self.stops, min_tokens
        )
        ranks = _invert_order(chosen, len(terms) + n_nodes)
        names = (
            bytes(self.join_term_bytes(chosen)).decode().split("\n")[:-1] if n_nodes else terms.decode(chosen)
        )
        return RankedTerms(names, ranks[: len(terms)], ranks[len(terms) :])

    def join_term_bytes(self, chosen: Array) -> Array:
        """Return the bytes of the chosen terms, each followed by a newline; n-grams come after tokens."""
        from termsift.text._lexicon_kernel import join_term_bytes

        terms = self.tokens.terms
        # with n-grams no token contains a character up to the space, so none contains a newline
        return np.asarray(join_term_bytes(terms.arena, terms.ends, *self.nodes, chosen, NEWLINE))

    def add_terms(self, terms: Sequence[bytes], max_tokens: int) -> Array:
        """Add terms of up to `max_tokens` tokens, separated by spaces, and return the code of each."""
        if max_tokens == 1:
            return self.tokens.add(pack_terms(terms))
        token_lists = [term.split(b" ") for term in terms]
        distinct = list(dict.fromkeys(token for tokens in token_lists for token in tokens))
        numbers = dict(zip(distinct, self.tokens.add(pack_terms(distinct)).tolist(), strict=True))
        nodes: dict[tuple[int, int, int], int] = {}
        codes = np.empty(len(terms), dtype=np.int64)
        for i, (first, *following) in enumerate(token_lists):
            node = numbers[first]
            for depth, token in enumerate(following, start=2):
                node = nodes.setdefault((depth, node, numbers[token]), len(nodes))
            codes[i] = -1 - node if following else node
        n = len(nodes)
        self.reserve_nodes(_next_power_of_two(n))
        if n:
            self.depths[:n], self.parents[:n], self.lasts[:n] = np.array(list(nodes)).T
        self.size[0] = n
        self.reserve_nodes(len(self.parents))
        return codes


def map_codes(codes: Array, token_numbers: Array, node_numbers: Array) -> Array:
    """Return token_numbers[code] for codes of tokens, node_numbers[-1 - code] for codes of n-grams."""
    if not len(node_numbers):
        return token_numbers[codes]
    is_token = codes >= 0
    out = np.empty(len(codes), dtype=np.result_type(token_numbers, node_numbers))
    out[is_token] = token_numbers[codes[is_token]]
    out[~is_token] = node_numbers[-1 - codes[~is_token]]
    return out


def map_codes_inplace(codes: Array, token_numbers: Array, node_numbers: Array) -> None:
    """Replace codes as `map_codes` does, in place."""
    from termsift.text._lexicon_kernel import map_codes_kernel

    map_codes_kernel(codes, token_numbers, node_numbers)


def _invert_order(chosen: Array, size: int) -> Array:
    """Return, for each number below `size`, its position in `chosen`, or -1."""
    ranks = np.full(size, -1, dtype=np.int32)
    ranks[chosen] = np.arange(len(chosen))
    return ranks


# scan kernel with the documents and the source of their tokens bound; see `Scanner.scan_bytes` for the others
BoundScan: TypeAlias = partial[tuple[int, int]]
# words and n-grams whose stems a frozen scanner keeps, so that streams take bounded memory
MAX_FROZEN_WORDS = 1 << 20
# first byte of U+0300, below which there are neither marks nor scripts without spaces
FIRST_MARK = 0xCC
# tables from each byte to its lowercase form
IDENTITY = np.arange(256, dtype=np.uint8)
ASCII_LOWERCASE = np.frombuffer(bytearray(range(256)).lower(), dtype=np.uint8)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Documents as bags of terms: codes[indptr[d]:indptr[d + 1]] are the terms of document d.

    The code of a token is its number t, that of an n-gram -1 - n.
    """

    indptr: Array
    codes: Array
    counts: Array


class Scanner:
    """Lexicon with the scan that extends it or, if frozen, only looks terms up in it.

    With a stemmer, the scan fills a lexicon of words, each of which is stemmed once; `lexicon` has the stems.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        if not analyzer.has_kernel:
            raise AssertionError(f"the pattern of {analyzer} does not describe runs of characters")
        self.analyzer = analyzer
        # as in scikit-learn, n-grams of characters have neither stop words nor stems
        has_words = analyzer.analyzer == "word"
        self.stemmer = analyzer.stemmer if has_words else None
        if self.stemmer is None:
            self.lexicon = Lexicon(tuple(analyzer.stop_words) if has_words else ())
        else:
            # stop words are removed before stemming, so their stems can be terms
            self.lexicon = Lexicon()
            self._reset_words()
        self.lowercase = ASCII_LOWERCASE if analyzer.lowercase else IDENTITY
        self.size = np.zeros(1, dtype=np.int64)  # entries of `codes` and `counts` in use
        self.codes, self.counts = np.empty(1 << 16, dtype=np.int32), np.empty(1 << 16, dtype=np.int32)

    def _reset_words(self) -> None:
        """Forget all words and their stems."""
        self.words = Lexicon(tuple(self.analyzer.stop_words))
        # of each word and n-gram of words, the number of its stems in `lexicon`; stop words have none
        self.stem_numbers = np.full(self.words.stops, -1, dtype=np.int32), np.empty(0, dtype=np.int32)

    def scan_texts(self, documents: Sequence[str], *, frozen: bool = False) -> Bags:
        """Return the term counts of documents."""
        # stripping accents can produce uppercase letters, as from a trade mark sign: they stay, as in Python
        lowercase = self.lowercase if self.analyzer.strip_accents is None else IDENTITY
        return self.scan_bytes(*encode_documents(documents, self.analyzer), lowercase, frozen=frozen)

    def scan_bytes(
        self, data: Array, starts: Array, lowercase: Array | None = None, *, frozen: bool = False
    ) -> Bags:
        """Return the term counts of documents given as joined bytes and the start of each document."""
        lowercase = self.lowercase if lowercase is None else lowercase
        is_complex = self._find_complex(data, starts)
        if is_complex.all() or not is_complex.any():
            return self._count(
                self.bind_scan(data, starts, lowercase, bool(is_complex.any())), starts, frozen
            )
        # a few complex documents would slow down the scan of all others, in which spaces replace them
        rows = np.flatnonzero(is_complex)
        spans = [slice(starts[row], starts[row + 1]) for row in rows]
        texts, edges = [data[span] for span in spans], np.concatenate([[0], np.cumsum(np.diff(starts)[rows])])
        data = data.copy()
        for span in spans:
            data[span] = ord(" ")
        bags = self._count(self.bind_scan(data, starts, lowercase, False), starts, frozen)
        scan = self.bind_scan(np.concatenate(texts), edges, lowercase, True)
        extra = self._count(scan, edges, frozen)
        sizes = np.zeros(len(starts), dtype=np.int64)
        sizes[rows + 1] = np.diff(extra.indptr)
        positions = np.repeat(bags.indptr[rows], sizes[rows + 1])
        codes = np.insert(bags.codes, positions, extra.codes)
        counts = np.insert(bags.counts, positions, extra.counts)
        return Bags(bags.indptr + np.cumsum(sizes), codes, counts)

    def _find_complex(self, data: Array, starts: Array) -> Array:
        """Return which documents may have words that only a scan of whole words finds."""
        from termsift.text._words_kernel import documents_with_class

        analyzer = self.analyzer
        is_automatic = analyzer.analyzer == "word" and analyzer.words == "auto" and not analyzer.hashtags
        if not is_automatic or data.max(initial=0) < FIRST_MARK:
            return np.zeros(len(starts) - 1, dtype=bool)
        return np.asarray(documents_with_class(data, starts, class_bits("auto"), BEYOND_WORD_PATTERN))

    def _count(self, scan: BoundScan, starts: Array, frozen: bool) -> Bags:
        """Return the term counts that a scan finds."""
        from termsift.text._lexicon_kernel import DONE, NODES_FULL, TOKENS_FULL

        indptr = np.zeros(len(starts), dtype=np.int64)
        self.size[0] = 0
        document, lexicon = 0, self.lexicon if self.stemmer is None else self.words
        is_frozen = frozen and self.stemmer is None
        while True:
            tokens = lexicon.tokens
            status, document = scan(
                document, lexicon.stops, *self.analyzer.token_range, is_frozen,
                tokens.arena, tokens.rows, tokens.table, tokens.sizes,
                lexicon.parents, lexicon.lasts, lexicon.depths, lexicon.pairs, lexicon.size,
                indptr, self.codes, self.counts, self.size,
            )  # fmt: skip
            if status == DONE:
                break
            # the scan stops if an array is full, and continues with the same document
            if status == TOKENS_FULL:
                lexicon.tokens.double_capacity()
            elif status == NODES_FULL:
                lexicon.reserve_nodes(max(2 * len(lexicon.parents), 1 << 13))
            else:
                self.codes = grow_array(self.codes, 2 * len(self.codes))
                self.counts = grow_array(self.counts, 2 * len(self.counts))
        n = int(self.size[0]) if self.stemmer is None else self._sum_stems(indptr, frozen)
        return Bags(indptr, self.codes[:n].copy(), self.counts[:n].copy())

    def _sum_stems(self, indptr: Array, frozen: bool) -> int:
        """Replace scanned words by their stems, in place, and return the number of entries."""
        from termsift.text._lexicon_kernel import sum_mapped_codes

        words, lexicon = self.words.tokens, self.lexicon
        token_numbers, node_numbers = self.stem_numbers
        new = words.terms.decode(np.arange(len(token_numbers), len(words)))
        stems = pack_terms([stem.encode() for stem in stem_words(self.stemmer, new)])
        token_numbers = np.concatenate([token_numbers, lexicon.tokens.add(stems, frozen=frozen)])
        node_numbers = lexicon.merge_nodes(self.words, token_numbers, node_numbers, frozen=frozen)
        self.stem_numbers = token_numbers, node_numbers
        n_tokens = len(lexicon.tokens)
        slots = np.empty(n_tokens + int(lexicon.size[0]), dtype=np.int64)
        n = int(sum_mapped_codes(indptr, self.codes, self.counts, *self.stem_numbers, n_tokens, slots))
        if frozen and len(token_numbers) + len(node_numbers) > MAX_FROZEN_WORDS:
            self._reset_words()
        return n

    def bind_scan(self, data: Array, starts: Array, lowercase: Array, is_complex: bool) -> BoundScan:
        """Return the scan of documents, given as joined bytes and the start of each document.

        lowercase : (256,) table that maps each byte to its lowercase form
        is_complex : whether the default token pattern would miss words of words="auto"
        """
        from termsift.text import _words_kernel as kernels
        from termsift.text._scan_kernel import scan

        analyzer, words = self.analyzer, self.analyzer.words
        if analyzer.analyzer in CHAR_ANALYZERS:
            low, high = analyzer.ngram_range
            texts = data, starts, characters_matching(r"\s"), lowercase
            is_padded = analyzer.analyzer == "char_wb"
            tokens = (
                kernels.find_padded_words(*texts) if is_padded else kernels.find_collapsed_texts(*texts, low)
            )
            data, edges, indptr = tokens
            return partial(scan, data, indptr, edges, None, IDENTITY, low, high)
        # without marks and scripts without spaces, the default token pattern finds the same words faster
        is_run = words == "sklearn" or (words == "auto" and not analyzer.hashtags and not is_complex)
        run = parse_run(analyzer.token_pattern) if is_run else None
        if run is not None:
            letter = np.zeros(256, dtype=np.uint8)
            # the pattern applies to the lowercased text
            letter[:128] = np.where(run.member[lowercase[:128]], lowercase[:128], 0)
            min_length = max(run.min_length, analyzer.min_length)
            return partial(scan, data, starts, None, run.member, letter, min_length, None)
        find_words = kernels.find_auto_words if words == "auto" else kernels.find_unicode_words
        options = class_bits(words), bool(analyzer.hashtags), analyzer.min_length
        data, edges, indptr = find_words(data, starts, *options)
        return partial(scan, data, indptr, edges, None, lowercase, 1, None)

    def add_terms(self, terms: Sequence[bytes]) -> Array:
        """Add a vocabulary and return the code of each term."""
        return self.lexicon.add_terms(terms, self.analyzer.token_range[1])

    def clone_for_thread(self) -> Scanner:
        """Return a frozen scanner for another thread that shares the terms but not the mutable tables."""
        scanner = copy.copy(self)
        scanner.lexicon = copy.copy(self.lexicon)
        if self.stemmer is not None:
            scanner._reset_words()
        scanner.lexicon.tokens = copy.copy(self.lexicon.tokens)
        scanner.lexicon.tokens.table = self.lexicon.tokens.table.copy()
        scanner.lexicon.pairs, scanner.size = self.lexicon.pairs.copy(), self.size.copy()
        scanner.codes, scanner.counts = self.codes.copy(), self.counts.copy()
        return scanner


class ScannerPool:
    """Scanners for several threads, each with its lexicon, which are merged at the end.

    So a thread meets a new word once, not once per batch.
    """

    def __init__(self, analyzer: Analyzer, n_threads: int) -> None:
        self.all = [Scanner(analyzer) for _ in range(n_threads)]
        self.free = list(range(n_threads))

    @contextmanager
    def acquire(self) -> Iterator[tuple[int, Scanner]]:
        """Yield the index of an unused scanner, and the scanner."""
        number = self.free.pop()
        yield number, self.all[number]
        self.free.append(number)

    def merge(self) -> tuple[Scanner, list[tuple[Array, Array]]]:
        """Return one scanner with the terms of all, and the new token and n-gram numbers of each."""
        first, *others = self.all
        for scanner in others:
            # only the terms are needed: free the memory of the tables
            scanner.lexicon.tokens.table = np.empty((0, 2), dtype=np.int64)
        lexicon = first.lexicon
        n_tokens, n_nodes = len(lexicon.tokens), int(lexicon.size[0])
        identity = np.arange(n_tokens, dtype=np.int32), np.arange(n_nodes, dtype=np.int32)
        numbers = [identity, *(lexicon.merge(scanner.lexicon) for scanner in others)]
        self.all = [first]
        return first, numbers


def consume(items: list[T]) -> Iterator[T]:
    """Yield the items in order and remove them from the list, to free their memory."""
    items.reverse()
    while items:
        yield items.pop()


def preprocess_bytes(data: Array, starts: Array, analyzer: Analyzer) -> tuple[Array, Array]:
    """Return joined UTF-8 documents, the non-ASCII ones preprocessed, and the start of each."""
    if data.max(initial=0) < 128:
        return data, starts
    raw: memoryview = data.data
    chunks, n_copied = list[bytes | memoryview](), 0
    sizes = np.diff(starts)
    nonempty = np.flatnonzero(sizes)
    # reduceat needs nonempty segments
    largest_bytes = np.maximum.reduceat(data, starts[nonempty])
    for i in nonempty[largest_bytes >= 128].tolist():
        first, last = int(starts[i]), int(starts[i + 1])
        text = analyzer.preprocess(bytes(raw[first:last]).decode()).encode("utf-8", "replace")
        chunks += [raw[n_copied:first], text]
        sizes[i], n_copied = len(text), last
    joined = b"".join([*chunks, raw[n_copied:]])
    return np.frombuffer(joined, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])


def encode_documents(documents: Sequence[str], analyzer: Analyzer) -> tuple[Array, Array]:
    """Return preprocessed documents as joined UTF-8 bytes, and the start of each.

    The scan lowercases ASCII; Python preprocesses the rest, and all texts if accents or tags are removed.
    """
    texts = list(documents)
    changes_ascii = analyzer.strip_accents is not None or analyzer.html
    for i, is_ascii in enumerate(map(str.isascii, documents)):
        if changes_ascii or not is_ascii:
            # a character of Latin-1 for each byte: such texts are joined and measured fast
            texts[i] = analyzer.preprocess(texts[i]).encode("utf-8", "replace").decode("latin-1")
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    raw = "".join(texts).encode("latin-1")
    return np.frombuffer(raw, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])

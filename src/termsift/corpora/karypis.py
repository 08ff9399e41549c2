"""The word counts of Han and Karypis that Forman (2003) used, as sparse ARFF; 18 of his 19 sets."""

from __future__ import annotations

from pathlib import Path

from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import Entry
from termsift.corpora.formats.arff import read_arff


def read_karypis(path: Path) -> Corpus:
    """The counts, with the last attribute as the class."""
    return read_arff(path, encoding="latin-1")


# home, citation, terms of use
ORIGIN = (
    "https://waikato.github.io/weka-wiki/datasets/",
    "Han and Karypis (2000), Centroid-based document classification; Forman (2003)",
    "public research data without a stated licence",
)

# name, documents, classes, size, sha256; la1s and la2s have the reduced vocabularies
SETS = (
    ("fbis", 2463, 17, 829_806, "7350ef2990ee3f863b3ca67205a7f24dd7be6cd1124682069f4c4ca2f0f27436"),
    ("la1s", 3204, 6, 1_142_649, "9e5d8bea2d817f49d326eda58d1b1b9e907547f576216a19a26b83784bcbfbb0"),
    ("la2s", 3075, 6, 1_090_756, "8a9f2fbbbc2302ec64835b5f4d308d542d241a3e3655991a55ced6001638e244"),
    ("oh0", 1003, 10, 132_568, "6080f9263eb544c9e9d06d95cc5534f2f4415fecc6a540a2b2e96981fd3a5a84"),
    ("oh5", 918, 10, 125_270, "f5d8d68f9076a8235bb97de7c494d27b70d3a04c695a2d8c26c242707159eb3d"),
    ("oh10", 1050, 10, 144_715, "38d702323a506aeb209cdf573cab643e2e0a6adfec3d729b4f87c6096fc53cb5"),
    ("oh15", 913, 10, 135_172, "2c90aec837a7ac3065fbf1cf171534a5f94febda5df2cf748aa1a40842db251b"),
    ("ohscal", 11_162, 10, 1_644_956, "b3cb6b3708985079233227a7ca08addbe4d7f8da16b073c6b366aee6487e5b94"),
    ("re0", 1504, 13, 164_258, "0190a8c8682f2ae384b4e50967ed5cbc905ab482d81a3957546f96b0272a12ba"),
    ("re1", 1657, 25, 203_059, "ab34e8037fbda3321b8eb03b8472072fbc8b46c51e630e6368257a92797eadc3"),
    ("tr11", 414, 9, 309_558, "12e9ae39628705f060f824067457c8faac38d98bb4433ff4a2cf104030aabbe8"),
    ("tr12", 313, 8, 229_422, "55137db4a313e308482a6113bc64193c7fbbc7d7cdf79d845d21e4cc20ae4468"),
    ("tr21", 336, 6, 434_478, "58d08fdf56f6199571823cf7df430a211a4da93bfb8fd5a4bacab4ce81bfef35"),
    ("tr23", 204, 6, 223_760, "2d123b74539b0d46ffc0f89aef8af84a0b26e255a633c9d1914a1a30afc69234"),
    ("tr31", 927, 7, 658_456, "ec8d1cdb49d177e618ee85a61e02dae1777ad1f060b2889d7106dfe2b96ddc8a"),
    ("tr41", 878, 10, 427_035, "84d35bb1de11ba228a38665358989755ffc753f42a59964c0112750f330a0952"),
    ("tr45", 690, 10, 502_210, "9f3658a70a7a76b794b619ce65b8cf9e0f727fc8249536b779dbd5f3b606a361"),
    ("wap", 1560, 20, 514_118, "318382d099f1f54e83bfd7255b89f816bdcf2d97683b1ff0ce0a34e0ec33b2b2"),
)  # fmt: skip

ENTRIES = tuple(
    Entry(name, read_karypis, f"karypis/{name}.wc.arff.zip", size, sha256, n, n_classes, *ORIGIN)
    for name, n, n_classes, size, sha256 in SETS
)

"""Corpora in formats of their own, and folders of studies, damaged: each reader answers with one line."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from bad_files import documents
from changes import altered_bytes, altered_file, packed_bytes
from trying import check

import termsift as ts
from termsift_studies.corpora import load_arff

NUMBERS = [
    "0",
    "1",
    "-1",
    "1.5",
    "nan",
    "inf",
    "1e308",
    "1e400",
    "2147483647",
    "4294967296",
    "9" * 30,
    "?",
    "",
    "a",
    "'1'",
    "0x1",
]


def arff_text(rng: random.Random) -> str:
    """An ARFF file: counts, sparse or dense, or texts."""
    classes = "{spam,ham,'work \\'n more'}"
    if rng.random() < 0.3:
        rows = [f"'{text}',{rng.choice(['spam', 'ham'])}" for text, _ in documents(rng)]
        return (
            f"@relation mail\n@attribute body string\n@attribute class {classes}\n@data\n"
            + "\n".join(rows)
            + "\n"
        )
    n = rng.choice([1, 4, 30])
    head = (
        "@RELATION mail % of ours\n"
        + "".join(f"@attribute 'w {i}' numeric\n" for i in range(n))
        + f"@attribute class {classes}\n@DATA\n"
    )

    def value() -> str:
        return rng.choice(NUMBERS) if rng.random() < 0.03 else str(rng.randrange(4))

    dense = rng.random() < 0.5
    rows = []
    for _ in range(rng.choice([1, 9])):
        cells = [(i, value()) for i in range(n) if dense or rng.random() < 0.4] + [
            (n, rng.choice(["spam", "ham"]))
        ]
        rows.append(
            ",".join(v for _, v in cells) if dense else "{" + ",".join(f"{i} {v}" for i, v in cells) + "}"
        )
    return head + "\n".join(rows) + "\n"


def an_arff(rng: random.Random, folder: Path) -> None:
    """The attempt at ARFF, plain, by gzip or in a zip."""
    content, ending = arff_text(rng).encode(), rng.choice(["arff", "arff", "arff.gz", "arff.zip"])
    path = folder / f"mail.{ending}"
    if ending == "arff.zip":
        content = altered_bytes(rng, content) if rng.random() < 0.5 else content
        content = zip_bytes({"mail.arff": content})
        path.write_bytes(altered_bytes(rng, content) if rng.random() < 0.5 else content)
    else:
        altered_file(rng, path, content, "gz" if ending.endswith("gz") else "")
    use_corpus(load_arff(path, encoding=rng.choice(["utf-8", "latin-1"])))


def matlab_bytes(rng: random.Random) -> bytes:
    """A file of MATLAB as Deng Cai's are, with variables of the wrong kind or size now and then."""
    from scipy.io import savemat
    from scipy.sparse import csc_matrix
    from scipy.sparse import random as random_matrix

    n, m = rng.choice([(4, 3), (1, 1), (9, 20)])
    fea = csc_matrix(np.ceil(random_matrix(n, m, 0.4, random_state=rng.randrange(999)).toarray() * 9))
    found: dict[str, Any] = {"fea": fea, "gnd": np.arange(n).reshape(-1, 1) % 2 + 1}
    if rng.random() < 0.5:
        found |= {"trainIdx": np.arange(1, n)[:, None], "testIdx": np.array([[n]])}
    if rng.random() < 0.4:
        odd = [
            np.array([["a"]]),
            np.array([[np.nan]]),
            np.zeros((0, 0)),
            np.array([[1 + 1j]]),
            {"a": 1},
            "text",
            3,
        ]
        odd += [
            np.array([["x"] * 3], dtype=object),
            np.array([[2**40]]),
            np.ones((3, 3, 3)),
            np.array([[-1]]),
            fea.T,
        ]
        found[rng.choice(["fea", "gnd", "trainIdx", "vocab"])] = rng.choice(odd)
    sink = io.BytesIO()
    savemat(sink, found, do_compression=rng.random() < 0.95)
    return sink.getvalue()


def altered_within(rng: random.Random, content: bytes) -> bytes:
    """The file with one of its compressed variables altered, and a checksum that is right."""
    import struct
    import zlib

    head, rest, parts = content[:128], content[128:], []
    while len(rest) >= 8:
        kind, size = struct.unpack_from("<II", rest)
        parts.append((kind, rest[8 : 8 + size]))
        rest = rest[8 + size :]
    i = rng.randrange(len(parts))
    if parts[i][0] == 15:
        parts[i] = (15, zlib.compress(altered_bytes(rng, zlib.decompress(parts[i][1]))))
    return head + b"".join(struct.pack("<II", kind, len(part)) + part for kind, part in parts)


def a_matlab(rng: random.Random, folder: Path) -> None:
    """The attempt at MATLAB files."""
    from termsift_studies.matrices import load_cdcai

    content = matlab_bytes(rng)
    way = rng.random()
    content = (
        altered_within(rng, content) if way < 0.5 else altered_bytes(rng, content) if way < 0.8 else content
    )
    (folder / "mail.mat").write_bytes(content)
    use_corpus(load_cdcai(folder / "mail.mat"))


def zip_bytes(files: dict[str, bytes]) -> bytes:
    """A zip of files."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def tar_bytes(rng: random.Random, files: dict[str, bytes]) -> bytes:
    """A tar of files, now and then with members that no reader should take."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        if rng.random() < 0.2:
            info = tarfile.TarInfo(rng.choice(["../up", "/etc/x", "a/link", "a\\..\\b", "c:x", "\udcff"]))
            info.type = rng.choice(
                [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.REGTYPE]
            )
            info.linkname = "../../x"
            archive.addfile(info)
    return sink.getvalue()


STORY = '<REUTERS TOPICS="YES" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" NEWID="{i}">\n'
STORY += "<TOPICS>{topics}</TOPICS>\n"
STORY += "<TEXT>&#2;\n<TITLE>Tea &lt;T></TITLE><BODY>{text}\n&#3;</BODY></TEXT>\n</REUTERS>\n"


def sgml_bytes(rng: random.Random) -> bytes:
    """Stories of Reuters."""
    page = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
    for i, (text, label) in enumerate(documents(rng)):
        topics = "".join(f"<D>{topic}</D>" for topic in [label, "tea"][: rng.randrange(3)])
        page += STORY.format(split=rng.choice(["TRAIN", "TEST", "NOT-USED"]), i=i, topics=topics, text=text)
    if rng.random() < 0.05:
        page += rng.choice(["<TEXT>", "<BODY>", "<REUTERS>", "<TOPICS><D>", "&#"]) * rng.choice([30, 3000])
    return page.encode("utf-8")


def a_reuters(rng: random.Random, folder: Path) -> None:
    """The attempt at the SGML of Reuters-21578, in its archive."""
    from termsift.corpora.readers import read_reuters21578

    page = sgml_bytes(rng)
    page = altered_bytes(rng, page) if rng.random() < 0.7 else page
    archive = packed_bytes(tar_bytes(rng, {"README.txt": b"", "reut2-000.sgm": page}), "gz")
    path = folder / "reuters21578.tar.gz"
    path.write_bytes(altered_bytes(rng, archive) if rng.random() < 0.3 else archive)
    use_corpus(
        read_reuters21578(
            path,
            split=rng.choice(["modapte", "modlewis", "modhayes"]),
            categories=rng.choice(["all", "both"]),
        )
    )


def a_tar(rng: random.Random, folder: Path) -> None:
    """The attempt at tars: the posts of 20 Newsgroups, by gzip."""
    from termsift.corpora.readers import read_newsgroups

    rows = documents(rng)
    files = {
        f"20news-bydate-{rng.choice(['train', 'test'])}/{label}/{i}": text.encode()
        for i, (text, label) in enumerate(rows)
    }
    path = folder / "20news-bydate.tar.gz"
    altered_file(rng, path, tar_bytes(rng, files), "gz")
    use_corpus(read_newsgroups(path, remove=rng.choice([(), ("headers", "footers", "quotes")])))


def a_zip(rng: random.Random, folder: Path) -> None:
    """The attempt at zips: the stories of ApteMod."""
    from termsift.corpora.readers import read_reuters_apte

    rows = documents(rng)
    names = [f"{rng.choice(['training', 'test'])}/{i}" for i in range(len(rows))]
    cats = "".join(f"{name} {label}\n" for name, (_, label) in zip(names, rows, strict=True)).encode()
    cats = altered_bytes(rng, cats) if rng.random() < 0.3 else cats
    files = {"reuters/cats.txt": cats, "reuters/stopwords": b"a\nthe\n"}
    files |= {f"reuters/{name}": text.encode() for name, (text, _) in zip(names, rows, strict=True)}
    if rng.random() < 0.1:
        files[rng.choice(["../up", "/etc/x", "a\\..\\b", "c:/x"])] = b"x"
    content = zip_bytes(files)
    (folder / "reuters.zip").write_bytes(altered_bytes(rng, content) if rng.random() < 0.7 else content)
    use_corpus(read_reuters_apte(folder / "reuters.zip"))


def an_sms_file(rng: random.Random, folder: Path) -> None:
    """The attempt at the file of SMS messages."""
    from termsift.corpora.readers import read_sms_spam

    content = "".join(f"{rng.choice(['ham', 'spam'])}\t{text}\n" for text, _ in documents(rng)).encode()
    use_corpus(read_sms_spam(altered_file(rng, folder / "SMSSpamCollection", content)))


def use_corpus(corpus: ts.corpora.Corpus) -> None:
    """A corpus that was read can be counted."""
    check(len(corpus) == len(corpus.labels), "parts of different length")
    repr(corpus)
    ts.count(corpus)

"""Texts of real corpora, read by code of its own, and texts of many scripts."""

from __future__ import annotations

import tarfile
import zipfile

import numpy as np

SCRIPTS = [
    "Grüße aus Köln",
    "Ελλάδα ΣΊΣΥΦΟΣ",
    "東京都 is 東京",
    "क्षत्रिय हिन्दी",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ½ ²",
    "I\u0307stanbul İzmir",
    "🙂 ok",
]


def newsgroups(folder):
    with tarfile.open(folder / "20news" / "20news-bydate.tar.gz") as archive:
        members = [member for member in archive if member.isfile()]
        texts = [archive.extractfile(member).read().decode("latin-1") for member in members]
    return texts, [member.name.split("/")[-2] for member in members]


def reuters(folder):
    archive = zipfile.ZipFile(folder / "reuters_apte" / "reuters.zip")
    lines = [line.split() for line in archive.read("reuters/cats.txt").decode("latin-1").splitlines()]
    texts = [archive.read(f"reuters/{name}").decode("latin-1") for name, *_ in lines]
    return texts, [labels for _, *labels in lines]


def sms(folder):
    lines = (folder / "sms_spam" / "SMSSpamCollection").read_text(encoding="utf-8").splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return list(texts), list(labels)


def unicode_texts(folder):
    """Texts of many scripts, some long, some empty."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 30, 400)
    return [" ".join(rng.choice(SCRIPTS, n)) for n in lengths], [int(n % 3) for n in lengths]

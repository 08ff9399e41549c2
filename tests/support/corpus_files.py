"""Archives and files of corpora as tests make them: small, and broken where asked."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

import termsift as ts

STORY = """<REUTERS TOPICS="{topics}" LEWISSPLIT="{lewis}" CGISPLIT="{cgi}" OLDID="1" NEWID="{number}">
<TOPICS>{d}</TOPICS>
<TEXT{type}>&#2;
{content}
&#3;</TEXT>
</REUTERS>
"""


def fails(match, call, *arguments, **options):
    """The call is one of our errors, in one line."""
    with pytest.raises(ts.TermsiftError, match=match) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)


def tarred(path, files, **more):
    """A tar, gzipped where its name says so, of the files and of more members by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, kind in more.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "target"
            archive.addfile(info)
    return path


def zipped(path, files):
    """A zip of the files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def cut(path, share=0.5):
    """The file without its end."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    return path


def story(number, *topics, lewis="TRAIN", cgi="TRAINING-SET", given="YES", type="", title="Tea", body="Tea."):
    """A story of Reuters-21578."""
    content = f"<TITLE>{title}</TITLE>\n<DATELINE>  ROME - </DATELINE><BODY>{body}\n Reuter\n&#3;</BODY>"
    if type == ' TYPE="BRIEF"':
        content = f"******<TITLE>{title}\n</TITLE>Blah blah blah."
    elif type:
        content = body
    d = "".join(f"<D>{topic}</D>" for topic in topics)
    return STORY.format(topics=given, lewis=lewis, cgi=cgi, number=number, d=d, type=type, content=content)


def reuters(folder, *stories):
    """Reuters-21578 of these stories, in a data folder."""
    page = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(stories)
    path = folder / "reuters21578" / "reuters21578.tar.gz"
    return tarred(path, {"README.txt": b"", "reut2-000.sgm": page.encode("latin-1")})

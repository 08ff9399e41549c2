"""Files as they come, read through the command as typed; and what is wrong with others, in one line."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import io
import json
import lzma
import subprocess
import sys
import threading
import zipfile

import pytest

import termsift as ts
from file_forms import CSV, DOCUMENTS, FORMS, FRAME, LABELS, TEXTS, TWO_TEXTS, cells, parquet_bytes, zip_bytes
from mail_files import ROWS

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
GERMAN = [("schöne Grüße aus München", "x"), ("größere Übungen für Ärzte", "y")]
LATIN = "".join(f"{text},{label}\n" for text, label in [("text", "label"), *GERMAN]).encode("latin-1")


@pytest.fixture
def counted(run, tmp_path):
    """What the command counts, and says."""

    def counted(*arguments):
        code, _, err = run("count", *arguments, "-o", tmp_path / "counts")
        assert code == 0, err
        return ts.Counts.load(tmp_path / "counts"), err

    return counted


@pytest.fixture
def folder(tmp_path):
    """An empty folder."""
    (tmp_path / "mail").mkdir()
    return tmp_path / "mail"


@pytest.fixture
def fails(run):
    """The command ends in one line."""

    def fails(message, *arguments):
        code, out, err = run("count", *arguments)
        assert (code, out) == (1, "")
        assert err.startswith("termsift: ")
        assert err.count("\n") == 1
        assert message in err

    return fails


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_format_gives_the_same_counts(counted, folder, form):
    assert counted(*form(folder)) == (ts.count(TEXTS, LABELS), said(ts.count(TEXTS, LABELS), folder))


def said(counts, folder):
    """What the command says of counts that it saves."""
    return f"{counts} saved to {folder.parent / 'counts'}\n"


def test_patterns_expanded_by_the_shell_are_read(folder):
    FORMS["two files"](folder)
    line = f"{sys.executable} -c 'from termsift.cli import main; main()' count *.csv* -o counts"
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=True)
    assert b"saved to counts" in done.stderr
    assert ts.Counts.load(folder / "counts") == ts.count(TEXTS, LABELS)


class TestColumns:
    def test_several_text_columns_are_joined(self, counted, folder):
        (folder / "m.csv").write_bytes(TWO_TEXTS)
        rows = [(text, label) for text, label in ROWS if '"' not in text]
        found, _ = counted(folder / "m.csv", "--text", "title", "--text", "body")
        assert found == ts.count([text for text, _ in rows], [label for _, label in rows])

    def test_partitions_can_be_groups_and_classes(self, counted, folder):
        for year, part in (("2024", FRAME.iloc[:2]), ("20%2F25", FRAME.iloc[2:])):
            (folder / f"year={year}").mkdir()
            part.to_csv(folder / f"year={year}" / "m.csv", index=False)
        found, _ = counted(folder, "--label", "year")
        assert dict(zip(found.classes, found.class_sizes.tolist(), strict=True)) == {"2024": 2, "20/25": 3}

    def test_the_data_folder_is_not_a_column(self, fails, folder):
        own = folder / "label=x"
        own.mkdir()
        (own / "m.csv").write_text("text\naa\n")
        fails("column 'label' is not in", own)
        fails("column 'label' is not in", own / "m.csv")
        fails("column 'label' is not in", folder / "*" / "m.csv")

    def test_the_folder_is_the_class_only_without_a_label_column(self, fails, folder):
        FORMS["folder, nested, of classes"](folder)
        fails("column 'lable' is not in", folder, "--label", "lable")

    def test_a_partition_without_a_value_is_a_missing_label(self, fails, folder):
        (folder / "label=__HIVE_DEFAULT_PARTITION__").mkdir()
        (folder / "label=__HIVE_DEFAULT_PARTITION__" / "m.csv").write_text("text\naa\n")
        fails("has no label; fix it", folder)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ((), "pass both, such as"),
            (("--text", "1", "--label", "3"), "column 3 is not in"),
            (("--text", "0", "--label", "1"), "columns are numbered from 1, got"),
            (("--text", "text", "--label", "1"), "columns are numbered from 1, got"),
            (("--text", "1", "--label", "1"), "text and label are both column 1; name two"),
            (("--text", "1", "--text", "1", "--label", "2"), "text and text 2 are both column 1"),
        ],
    )
    def test_invalid_column_numbers_are_rejected(self, fails, folder, options, message):
        (folder / "m.csv").write_bytes(cells(",", header=False))
        fails(message, folder / "m.csv", "--no-header", *options)

    def test_table_options_are_rejected_for_other_files(self, fails, folder):
        (folder / "m.parquet").write_bytes(parquet_bytes())
        fails("applies only to CSV, TSV, XLSX, not to Parquet", folder / "m.parquet", *NO_HEADER)
        fails("applies only to CSV, TSV, not to Parquet", folder / "m.parquet", "--delimiter", "|")

    @pytest.mark.parametrize("delimiter", ["||", '"', "a", "\n", "é", ""])
    def test_invalid_delimiters_are_rejected(self, fails, folder, delimiter):
        (folder / "m.csv").write_bytes(CSV)
        fails("must be one character such as ','", folder / "m.csv", "--delimiter", delimiter)


NO_HEADER = ("--no-header", "--text", "1", "--label", "2")


class TestQuotes:
    """A TSV file is quoted where cells that begin with a quote end with one, and rows are of one length."""

    def test_line_breaks_and_tabs_within_quotes_are_kept(self, counted, folder):
        (folder / "m.tsv").write_text('text\tlabel\n"aa\n""bb""\tcc"\tx\n"dd"\ty\n')
        assert counted(folder / "m.tsv")[0] == ts.count(['aa\n"bb"\tcc', "dd"], ["x", "y"])

    @pytest.mark.parametrize("text", ['"aa bb', '"aa" bb', 'aa"', '"aa\tx\n"bb'])
    def test_unbalanced_quotes_are_characters(self, counted, folder, text):
        rows = f"text\tlabel\n{text}\ty\n" + "cc\tz\n" * 3
        (folder / "m.tsv").write_text(rows)
        lines = [line.split("\t") for line in rows.splitlines()[1:]]
        assert counted(folder / "m.tsv")[0] == ts.count([t for t, _ in lines], [c for _, c in lines])


class TestEncodings:
    def test_detected_encodings_are_reported_with_the_file(self, counted, folder):
        (folder / "1.csv").write_bytes(LATIN)
        (folder / "2.csv").write_bytes(LATIN.decode("latin-1").encode())
        found, err = counted(folder, "--encoding", "auto")
        assert found == ts.count([text for text, _ in GERMAN * 2], [label for _, label in GERMAN * 2])
        assert "1.csv (Windows-1252); check or specify them" in err
        assert "2.csv" not in err

    def test_encodings_of_documents_in_folders_are_detected(self, counted, folder):
        for (text, label), encoding in zip(GERMAN, ("utf-8", "latin-1"), strict=True):
            (folder / label).mkdir()
            (folder / label / "1.txt").write_bytes(text.encode(encoding))
        found, err = counted(folder, "--encoding", "auto")
        assert found == ts.count([text for text, _ in GERMAN], [label for _, label in GERMAN])
        assert "y/1.txt (Windows-1252)" in err
        assert "x/1.txt" not in err

    @pytest.mark.parametrize("name", ["m.csv", "m.csv.xz", "m.jsonl"])
    def test_undecodable_bytes_are_replaced(self, counted, folder, name):
        row = (
            b'{"text": "gr\xfc\xdfe", "label": "x"}\n'
            if name == "m.jsonl"
            else b"text,label\ngr\xfc\xdfe,x\n"
        )
        (folder / name).write_bytes(lzma.compress(row) if name.endswith(".xz") else row)
        found, _ = counted(folder / name, "--encoding-errors", "replace")
        assert found == ts.count(["gr\ufffd\ufffde"], ["x"])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ((), "is not UTF-8: byte 0xf6 at 14; specify its encoding"),
            (("--encoding", "utf-9"), "no text encoding named 'utf-9'"),
            (("--encoding-errors", "ignore"), "no policy for undecodable bytes named 'ignore'"),
        ],
    )
    def test_invalid_options_are_one_line_errors(self, fails, folder, options, message):
        (folder / "m.csv").write_bytes(LATIN)
        fails(message, folder / "m.csv", *options)


class TestNoText:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("m.csv", PNG, "m.csv is not CSV: it seems to be a PNG picture"),
            ("m.tsv", b"%PDF-1.7\n", "m.tsv is not TSV: it seems to be a PDF document"),
            ("m.jsonl", parquet_bytes(), "m.jsonl is not JSONL: it seems to be a Parquet file"),
            ("m.json", b"\x1f\x8b\x08\0", "m.json is not JSON: it seems to be compressed by gzip"),
            ("m.parquet", PNG, "m.parquet cannot be read as Parquet: it seems to be a PNG picture"),
            ("m.arrow", parquet_bytes(), "m.arrow cannot be read as Arrow: it seems to be a Parquet file"),
            ("m.xlsx", CSV, "m.xlsx is damaged or truncated"),
            ("m.zip", CSV, "m.zip is damaged or truncated"),
            ("m.png", PNG, "unknown format of"),
            (
                "m.json",
                b'[{"text": "a", "label": "x"},',
                "the array is not closed, so the file may be truncated",
            ),
            ("m.json", b"[1, 2]", "column 'text' is not in"),
            ("m.json", b'{"data": []}', "it has: data"),
            ("m.csv.xz", b"\xfd7zXZ\0", "cannot be read as CSV"),
            ("m.csv.bz2", b"BZh9", "cannot be read as CSV"),
        ],
    )
    def test_files_with_other_content_are_rejected(self, fails, folder, name, content, message):
        (folder / name).write_bytes(content)
        fails(message, folder / name)

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (PNG, "it seems to be a PNG picture"),
            (parquet_bytes(), "it seems to be a Parquet file"),
            (b"\xff\xd8\xff\xe0", "it seems to be a JPEG picture"),
            (b"free\0prize", "it has a zero byte at 4"),
        ],
    )
    @pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "auto"])
    def test_binary_files_in_class_folders_are_rejected(self, fails, folder, content, what, encoding):
        FORMS["folder of texts"](folder)
        (folder / "spam" / "odd.txt").write_bytes(content)
        fails(f"odd.txt is not text: {what}", folder, "--encoding", encoding)

    def test_unknown_files_in_a_folder_are_skipped_with_a_warning(self, counted, fails, folder):
        (folder / "m.parquet").write_bytes(parquet_bytes())
        (folder / "p.png").write_bytes(PNG)
        found, err = counted(folder)
        assert found == ts.count(TEXTS, LABELS)
        assert f"skipped files of unknown format in {folder}: p.png\n" in err
        (folder / "spam").mkdir()
        (folder / "m.parquet").rename(folder / "spam" / "m.parquet")
        (folder / "p.png").rename(folder / "spam" / "p.png")
        fails("spam/m.parquet is not text: it seems to be a Parquet file", folder)


class TestFolders:
    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({"a.csv": CSV, "b.parquet": parquet_bytes()}, "have different formats: CSV, Parquet"),
            ({"a.csv": CSV, **DOCUMENTS}, "contains a.csv and folders of other files; pass the files, or"),
            ({"a.csv": b""}, "a.csv is empty"),
            ({"readme.txt": b"about"}, "contains neither data files nor one folder"),
            ({}, "contains neither data files nor one folder"),
        ],
    )
    def test_unreadable_folders_are_rejected(self, fails, folder, files, message):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        fails(message, folder)

    def test_unknown_formats_are_rejected(self, fails, folder):
        (folder / "m.csv").write_bytes(CSV)
        fails("no format named 'cvs'; did you mean 'csv'?", folder / "m.csv", "--format", "cvs")


class TestZips:
    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({"../m.csv": CSV}, "m.zip is refused: its member '../m.csv' has a path outside the archive"),
            ({"/m.csv": CSV}, "has a path outside the archive"),
            ({"m.zip": zip_bytes({"m.csv": CSV})}, "contains no file of a known format: m.zip"),
            ({"m.csv": bytes(1 << 26)}, "m.zip is refused: it unpacks to more than"),
            ({"m.csv": PNG}, "m.zip/m.csv is not CSV: it seems to be a PNG picture"),
            ({"a.csv": CSV, "b.json": b"[]"}, "have different formats: CSV, JSON"),
            ({}, "m.zip contains no files"),
        ],
    )
    def test_unsafe_archives_are_rejected(self, fails, folder, files, message):
        (folder / "m.zip").write_bytes(zip_bytes(files))
        fails(message, folder / "m.zip")

    def test_duplicate_member_names_are_rejected(self, fails, folder):
        sink = io.BytesIO()
        with zipfile.ZipFile(sink, "w") as archive:
            archive.writestr("m.csv", CSV)
            with pytest.warns(UserWarning, match="Duplicate name"):
                archive.writestr("m.csv", CSV)
        (folder / "m.zip").write_bytes(sink.getvalue())
        fails("it contains two files with the same name", folder / "m.zip")


class TestAddresses:
    @pytest.fixture
    def served(self, folder):
        """The address of the folder on a server of this machine, and the paths that were asked for."""
        asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_request(self, *arguments):
                asked.append(self.path)

            def log_message(self, *arguments):
                pass

        handler = functools.partial(Handler, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()
        server.server_close()

    @pytest.mark.parametrize("form", ["csv", "jsonl.xz", "parquet", "xlsx", "zip of two", "csv, no header"])
    def test_a_url_is_read(self, counted, folder, served, form):
        path, *options = FORMS[form](folder)
        address, asked = served
        assert counted(f"{address}/{path.name}", *options)[0] == ts.count(TEXTS, LABELS)
        assert {name.split("?")[0] for name in asked} == {f"/{path.name}"}
        assert counted(f"{address}/{path.name}?raw=1", *options)[0] == ts.count(TEXTS, LABELS)

    def test_several_urls_are_read(self, counted, folder, served):
        FORMS["two files"](folder)
        names = [f"{served[0]}/{name}" for name in ("1.csv", "2.csv.gz")]
        assert counted(*names)[0] == ts.count(TEXTS, LABELS)
        assert ts.count(names, text="text") == ts.count(TEXTS, LABELS)

    def test_only_urls_of_the_command_line_are_fetched(self, counted, folder, served):
        address, asked = served
        (folder / "m.csv").write_text(f"text,label\n{address}/x.csv,a\n{address}/y.csv,b\n")
        counted(folder / "m.csv")
        with pytest.raises(ts.InvalidInputError, match="labels are missing"):
            ts.count([f"{address}/m.csv"])
        assert ts.diff([f"{address}/m.csv"], ["other"]).scores.terms.tolist()[0] == "127"
        assert asked == []

    def test_invalid_options_are_one_line_errors(self, fails, folder, served):
        (folder / "m.bin").write_bytes(CSV)
        fails("there is no file http://127.0.0.1", f"{served[0]}/none.csv")
        fails("unknown format of http://127.0.0.1", f"{served[0]}/m.bin")
        fails("cannot be read: ", "http://127.0.0.1:1/m.csv")
        fails("cannot be read: ", "http://[/m.csv")


class TestDownloads:
    """Servers that send too much, or send elsewhere."""

    @pytest.fixture
    def address(self, folder, monkeypatch):
        monkeypatch.setenv("TERMSIFT_MAX_DOWNLOAD", "")
        monkeypatch.setenv("TERMSIFT_FOLLOW_REDIRECTS", "")
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.headers["Host"].split(":")[0], self.path))
                targets = {"/other.csv": f"http://localhost:{port}/m.csv", "/same.csv": "/m.csv"}
                self.send_response(302 if self.path in targets else 200)
                if self.path in targets:
                    self.send_header("Location", targets[self.path])
                    self.send_header("Content-Length", "0")
                elif self.path == "/large.csv":
                    self.send_header("Content-Length", str(10**12))
                elif self.path == "/bomb.csv":
                    self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                body = CSV if self.path == "/m.csv" else b"text,label\n"
                if self.path == "/bomb.csv":
                    body = gzip.compress(CSV + b"a" * 50_000_000)
                with contextlib.suppress(OSError):
                    while self.path not in targets:
                        self.wfile.write(body)
                        if self.path != "/endless.csv":
                            return
                        body = b"free prize,spam\n" * 65536

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        port = server.server_port
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{port}", asked
        server.shutdown()
        thread.join()
        server.server_close()

    @pytest.mark.parametrize("name", ["endless", "large", "bomb"])
    def test_a_large_file_is_refused(self, fails, counted, address, name, monkeypatch):
        fails(
            "is larger than 20 MB; if that is intended", f"{address[0]}/{name}.csv", "--max-download", "20MB"
        )
        assert counted(f"{address[0]}/m.csv", "--max-download", "20MB")[0] == ts.count(TEXTS, LABELS)
        monkeypatch.setenv("TERMSIFT_MAX_DOWNLOAD", "10")
        with pytest.raises(ts.UnreadableFileError, match="is larger than 0 MB"):
            ts.count(f"{address[0]}/m.csv")

    def test_a_redirect_to_another_host_is_not_followed(self, fails, counted, address):
        url, asked = address
        assert counted(f"{url}/same.csv")[0] == ts.count(TEXTS, LABELS)
        fails("other.csv redirects to another host: http://localhost:", f"{url}/other.csv")
        assert {host for host, _ in asked} == {"127.0.0.1"}
        assert counted(f"{url}/other.csv", "--follow-redirects")[0] == ts.count(TEXTS, LABELS)


class TestOutputs:
    def test_counts_are_written_as_a_table(self, run, folder):
        path = FORMS["csv"](folder)[0]
        assert run("count", path, "-o", folder / "c.csv")[0] == 0
        lines = (folder / "c.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "term,class,documents,occurrences,class_documents"
        assert "prize,spam,2,2,2" in lines
        counts = ts.count(TEXTS, LABELS)
        assert len(lines) == 1 + counts.df.nnz
        assert run("count", path, "-o", folder / "c.json")[0] == 0
        rows = json.loads((folder / "c.json").read_text(encoding="utf-8"))
        assert [",".join(map(str, row.values())) for row in rows] == lines[1:]

    def test_grouped_counts_are_written_as_a_table(self, run, folder):
        FORMS["folder of partitions"](folder)
        assert run("count", folder, "--group", "year", "-o", folder.parent / "c.csv")[0] == 0
        lines = (folder.parent / "c.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "term,class,group,documents,occurrences,class_documents"
        assert "prize,spam,2024,2,2,2" in lines

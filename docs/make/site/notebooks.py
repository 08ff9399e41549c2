"""Outputs in the notebooks of the gallery: text, tables and charts, as the pages of the scripts show them."""

from __future__ import annotations

import base64
import json
import re
import textwrap
import zipfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^\.\. GENERATED FROM PYTHON SOURCE LINES .*\n", re.MULTILINE)
PRINTED = re.compile(r"\.\. rst-class:: sphx-glr-script-out\n\n \.\. code-block:: none\n\n((?:    .*\n|\n)+)")
DISPLAYED = re.compile(
    r'\.\. raw:: html\n\n    <div class="output_subarea.*?>\n((?:    .*\n|\n)+?)    </div>\n'
)
PICTURE = re.compile(r"\.\. image-sg:: /gallery/(\S+)")


def fill_notebooks(app: Any) -> None:
    """Write the outputs of each script of the gallery into its notebook."""
    gallery = Path(app.srcdir) / "gallery"
    for path in sorted(gallery.glob("a*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        page = path.with_suffix(".rst").read_text(encoding="utf-8")
        blocks = [block for block in BLOCK.split(page) if ".. code-block:: Python" in block]
        for number, (cell, block) in enumerate(zip(cells, blocks, strict=True), 1):
            cell["execution_count"] = number
            cell["outputs"] = block_outputs(block, number, gallery)
        path.write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")
        # sphinx-gallery packed the notebook without its outputs
        with zipfile.ZipFile(path.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for file in (path.with_suffix(".py"), path):
                archive.write(file, file.name)


def block_outputs(block: str, number: int, gallery: Path) -> list[dict[str, Any]]:
    """Return the outputs of a code cell from the page of the script."""
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": textwrap.dedent(text).strip("\n") + "\n"}
        for text in PRINTED.findall(block)
    ]
    outputs += [
        {
            "output_type": "execute_result",
            "execution_count": number,
            "data": {"text/html": textwrap.dedent(text).strip()},
            "metadata": {},
        }
        for text in DISPLAYED.findall(block)
    ]
    for place in PICTURE.findall(block):
        image = base64.b64encode((gallery / place).read_bytes()).decode()
        outputs.append({"output_type": "display_data", "data": {"image/png": image}, "metadata": {}})
    return outputs


def setup(app: Any) -> dict[str, bool]:
    """Register the extension in Sphinx; the pages of the gallery are written before this is called."""
    app.connect("builder-inited", fill_notebooks, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

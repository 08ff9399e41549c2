"""What a script of the gallery drew: each chart of Altair that a block of it calls a picture."""

from __future__ import annotations

from typing import Any

from sphinx_gallery.scrapers import figure_rst

from termsift.report.charts import save_chart

SCALE = 2  # dots for each point, for dense screens


def charts(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Return the pictures of the charts that a block assigned, in RST."""
    named = block_vars["example_globals"]
    seen = named.setdefault("__drawn__", set())
    pictures = [value for name, value in named.items() if name.startswith("picture") and is_chart(value)]
    new = [value for value in pictures if id(value) not in seen]
    paths = []
    for chart, path in zip(new, block_vars["image_path_iterator"], strict=False):
        seen.add(id(chart))
        save_chart(chart, path)
        paths.append(path)
    return str(figure_rst(paths, gallery_conf["src_dir"])) if paths else ""


def is_chart(value: object) -> bool:
    """Whether a value is a chart: Altair's all have a way to Vega-Lite and a title or layers."""
    return type(value).__module__.startswith("altair.") and hasattr(value, "to_dict")


def _get_sg_image_scraper() -> Any:
    """Return the settings that sphinx-gallery asks a module for."""
    return charts

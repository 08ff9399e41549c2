"""How Sphinx makes the site of the pages that `staging.py` laid out. Nothing is fetched, here or by a reader."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(Path(__file__).parent))

import termsift as ts

project = "termsift"
author = "The termsift developers"
version = release = ts.__version__
html_title = "termsift"
language = "en"

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "thumbnails",
    "notebooks",
]
exclude_patterns = ["gallery/**/*.ipynb", "gallery/GALLERY_HEADER.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "none"
smartquotes = False
pygments_style = "friendly"
nitpicky = True
# whole pages of the standard library and of scikit-learn are somebody else's site
nitpick_ignore_regex = [("py:.*", r".*")]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

html_theme = "pydata_sphinx_theme"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["termsift.css"]
html_favicon = None
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "start/*": [], "gallery/index": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "termsift"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_last_updated_fmt = None
copyright = "The termsift developers"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples" / "gallery")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": os.environ.get("TERMSIFT_GALLERY", r"\.py$"),
    "image_scrapers": ("drawn",),
    "reset_modules": (),
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": r".*\.csv",
    "abort_on_example_error": True,
    "write_computation_times": False,
    # charts are shown as pictures
    "ignore_repr_types": "altair",
}

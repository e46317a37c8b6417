"""The documentation site: `tox -e docs` builds it into site/, from the pages of the tree and the public docstrings.

The pages stay readable where they are, so the source is the whole tree, and links between pages are paths.
"""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent.parent))

from conformance import __version__

project = "binlog-conformance"
author = "the authors of binlog-conformance"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "conformance/implementations/adapters/*/README.md",
]
exclude_patterns = ["docs/package.md"]

myst_enable_extensions = ["fieldlist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# Fields that dataclasses declare are described once, in the docstring of the class.
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}

html_theme = "furo"
html_title = f"binlog-conformance {release}"
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_extra_path = ["site"]
html_theme_options = {"sidebar_hide_name": False}
pygments_style = "friendly"
pygments_dark_style = "monokai"

#: A name between single backticks, which in the docstrings of the kit means code.
_NAME = re.compile(r"(?<![`:])`([^`\n]+)`(?!`)")


def _as_literals(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = [_NAME.sub(r"``\1``", line) for line in lines]


def setup(app: Sphinx) -> None:
    """Read single backticks of docstrings as code, as they are in Markdown."""
    app.connect("autodoc-process-docstring", _as_literals, priority=400)

"""Configuration of Sphinx for the documentation: `sphinx-build -W -n docs build/docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "Vinewright"
author = "the Vinewright authors"
version = release = version_of("vinewright")
project_copyright = "the Vinewright authors"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "api",
    "commands",
    "films",
    "formats",
    "formulas",
    "outputs",
    "project",
    "results",
]
html_theme = "furo"
html_title = f"Vinewright {version}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
templates_path: list[str] = []
exclude_patterns = ["extensions", "generated/commands"]
# Pages that extensions write at each build are in `generated`, which git ignores.

myst_enable_extensions = ["amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

# Tutorials run in an empty folder, and their outputs are kept until their text changes: remove build/notebooks after a change of
# the code.
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parents[1] / "build" / "notebooks")
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # the first page to run may have to compile the kernels
nb_merge_streams = True
nb_execution_show_tb = True

# In docstrings, single backticks are code, as in Markdown.
default_role = "code"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Floats")}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
maximum_signature_line_length = 100
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # the first words of what is returned are no type
# Types of other libraries, and those that are not public, have no page here.
nitpick_ignore_regex = [
    (
        "py:.*",
        r"(collections|concurrent|enum|functools|matplotlib|networkx|numpy|ompl|os|pathlib|rich|shapely|torch|typing)\..*",
    ),
    ("py:class", r"(tuple\[~)?(dynamics|environments|planner|surrogate|vinewright\.(cluster|console|sweeps))\..*"),
    (
        "py:class",
        r"Array|ArrayLike|Axes|Flag|Floats|Integers|NDArray|Pack|Path|Provenance|TypeAliasForwardRef|tuple\[float|np\.bool_",
    ),
]

copybutton_prompt_text = "$ "

"""What code of others raises: where in it an error arose, what is known of it; Ctrl-C."""

import linecache
import re
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

_LONGEST_MESSAGE = 1500  # Characters of an error that are kept
# Code below these is no user's: this package, the standard library, what is installed.
_NOT_THE_USERS = tuple(
    f"{place}/"
    for place in (
        str(Path(__file__).parent),
        str(Path(linecache.__file__).parent),
        *(path for path in sys.path if path.endswith("-packages")),
    )
)
_LONGEST_LINE = 100

# Kind of error, what its message or its line holds -> what is known about it.
_PYTHON_2 = "this is Python 2: convert it, for example with 2to3"
# What NumPy 1.24 and later removed, and what to write instead.
_NEW_NAMES = """
float:float int:int object:object str:str complex:complex unicode:str float_:np.float64
complex_:np.complex128 cfloat:np.complex128 singlecomplex:np.complex64 string_:np.bytes_
longfloat:np.longdouble longcomplex:np.clongdouble clongfloat:np.clongdouble
unicode_:np.str_ Inf:np.inf Infinity:np.inf infty:np.inf PINF:np.inf NINF:-np.inf
NaN:np.nan NAN:np.nan PZERO:0.0 NZERO:-0.0 in1d:np.isin product:np.prod
cumproduct:np.cumprod sometrue:np.any alltrue:np.all trapz:np.trapezoid
row_stack:np.vstack round_:np.round mat:np.asmatrix msort:np.sort(a,axis=0)
asfarray:np.asarray(a,dtype=float) cast:np.asarray(a,dtype) disp:print
find_common_type:np.result_type issubclass_:issubclass issubsctype:np.issubdtype
issctype:np.issubdtype obj2sctype:np.dtype(a).type sctype2char:np.dtype(a).char
maximum_sctype:np.float64 nbytes:np.dtype(a).itemsize safe_eval:ast.literal_eval
source:inspect.getsource recfromcsv:np.genfromtxt recfromtxt:np.genfromtxt
fastCopyAndTranspose:a.T.copy() byte_bounds:np.lib.array_utils.byte_bounds
compare_chararrays:np.char.compare_chararrays DataSource:np.lib.npyio.DataSource
set_string_function:np.set_printoptions add_newdoc:np.lib.add_newdoc
deprecate:warnings.deprecated lookfor:help who:locals
"""
_REMOVED = dict(pair.split(":", 1) for pair in _NEW_NAMES.split())
_METHODS_REMOVED = {"ptp": "np.ptp(a)", "itemset": "a[i] = value"}
_METHODS_REMOVED["newbyteorder"] = "a.view(a.dtype.newbyteorder())"
_NUMPY_NAME = re.compile(r"module 'numpy' has no attribute '(\w+)'")
_ARRAY_METHOD = re.compile(r"'numpy.ndarray' object has no attribute '(\w+)'")
_PACKAGES = """
altair astropy bokeh catboost cupy cvxpy cython dask geopandas graphviz gensim h5py
imageio jax keras lightgbm loguru matplotlib mlxtend mpmath networkx nltk numba openpyxl
pandas patsy pgmpy plotly polars prettytable psutil pyarrow pydantic pytest requests rich
scipy seaborn shap spacy statsmodels sympy tabulate tensorflow termcolor torch torchvision
tqdm transformers ucimlrepo wordcloud xgboost xlrd yellowbrick
"""
# Where pip calls a package otherwise than what is imported of it; other known ones.
_DISTRIBUTIONS = {
    **{"sklearn": "scikit-learn", "cv2": "opencv-python", "PIL": "pillow"},
    **{"yaml": "pyyaml", "bs4": "beautifulsoup4", "skimage": "scikit-image"},
    **{"dateutil": "python-dateutil", "dotenv": "python-dotenv", "docx": "python-docx"},
    **{"imblearn": "imbalanced-learn", "mpl_toolkits": "matplotlib", "IPython": "ipython"},
    **{"Bio": "biopython", "umap": "umap-learn", "pydot": "pydot", "attr": "attrs"},
    **{name: name for name in _PACKAGES.split()},
}
_KNOWN = (
    (
        "ValueError",
        r"inhomogeneous shape|ragged",
        "since NumPy 1.24 rows of different lengths make no array: pass dtype=object",
    ),
    (
        "SyntaxError",
        r"call to 'print'|call to 'exec'|leading zeros|multiple exception types|print \S",
        _PYTHON_2,
    ),
    (
        "NameError",
        r"'(xrange|raw_input|unicode|basestring|long|reduce|unichr)'",
        _PYTHON_2,
    ),
    ("ValueError", r"read-only", "copy it first: .values of pandas 3 is read-only"),
    ("NameError", r"'iteritems'", "in Python 3 write d.items() of a dictionary d"),
    ("AttributeError", r"'dict' .*'(iteritems|itervalues|iterkeys|has_key)'", _PYTHON_2),
    (
        "TypeError",
        r"'dict_(keys|values|items)' object is not subscriptable|'(map|filter|zip)' object",
        f"in Python 3 this is no list: write list(...); {_PYTHON_2}",
    ),
    ("ModuleNotFoundError", r"'(urllib2|cPickle|StringIO|ConfigParser|Queue)'", _PYTHON_2),
    (
        "AttributeError",
        r"'(DataFrame|Series)' .*'(ix|append|iteritems|as_matrix|get_value)'",
        "pandas 2 has no .ix, .append and .as_matrix: write .loc, pd.concat, .to_numpy()",
    ),
    (
        "ModuleNotFoundError",
        r"sklearn\.(cross_validation|grid_search|externals|lda|qda)",
        "scikit-learn moved this: train_test_split is in sklearn.model_selection",
    ),
    (
        "FileNotFoundError",
        r"",
        "it runs in an empty directory: give the full path, as from Path(__file__).parent",
    ),
    ("EOFError", r"EOF when reading a line", "nobody can answer input() here"),
    (
        "NameError",
        r"",
        "nothing that was loaded defines it; statements of a script are left out",
    ),
)


def described(error: BaseException) -> str:
    """Return kind and message of an error on one line, and where in whose code it arose.

    Errors of this package have said it all.
    """
    if type(error).__module__.startswith(f"{__package__}."):
        return cause_of(error)
    mark = ": " if cause_of(error) else " "
    return mark.join(filter(None, (type(error).__name__, explained(error))))


def explained(error: BaseException) -> str:
    """Return the message of an error, with place and line of the user's code and a hint."""
    what, place = cause_of(error), place_of(error)
    file, line, text = place or ("", None, "")
    hint = hint_on(type(error).__name__, what, text) if place else ""
    where = f"{Path(file).name}, {line_in(file, line)}: {text}" if place else ""
    notes = "; ".join(filter(None, (where, hint)))
    if hint:  # it says more than a long message does
        what = what.partition(". ")[0]
    return " ".join(filter(None, (what, f"({notes})" if notes else "")))


def line_in(file: str, line: int | None) -> str:
    """Return which line of a file is meant; in a notebook, of which cell."""
    above = linecache.getlines(file)[: line or 0] if file.endswith(".ipynb") else []
    return line_below(above) or f"line {line}"


def line_below(above: Sequence[str]) -> str:
    """Return which line of which cell the last line is; empty outside of notebooks."""
    for distance, text in enumerate(reversed(above)):
        if text.startswith("# code cell "):
            return f"{text[2:].strip()}, line {distance}"
    return ""


def cause_of(error: BaseException) -> str:
    """Return the message of an error on one line, cut where it is long."""
    try:
        return " ".join(str(error)[:_LONGEST_MESSAGE].split())
    except Exception:  # noqa: BLE001  a message of others' making
        return "(its message cannot be shown)"


def place_of(error: BaseException, path: str = "") -> tuple[str, int | None, str] | None:
    """Return file, line and text of the last of the user's lines, or of the file's."""
    frames = traceback.extract_tb(error.__traceback__, limit=None)
    for frame in reversed(frames):
        text = linecache.getline(frame.filename, frame.lineno or 0).strip()
        is_theirs = text and not frame.filename.startswith((*_NOT_THE_USERS, "<"))
        if is_theirs or frame.filename == path:
            return frame.filename, frame.lineno, excerpt(text)
    return None


def excerpt(line: str) -> str:
    """Return a line of a source, cut where it is long."""
    text = line.strip()
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"


def lines_passed(error: BaseException) -> tuple[int, ...]:
    """Return at which lines of the user's code the calls stood, the outermost first."""
    lines: dict[int, None] = {}  # A call of itself leads no further
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith((*_NOT_THE_USERS, "<")):
            lines[frame.lineno or 0] = None
    return tuple(lines)


def hint_on(kind: str, message: str, line: str) -> str:
    """Return what is known about an error, empty where nothing is."""
    name = _NUMPY_NAME.search(message)
    if name and name[1] in _REMOVED:
        instead = _REMOVED[name[1]].replace(",", ", ")
        return f"newer versions of NumPy have no np.{name[1]}: write {instead}"
    method = _ARRAY_METHOD.search(message)
    if method and method[1] in _METHODS_REMOVED:
        instead = _METHODS_REMOVED[method[1]]
        return f"arrays of NumPy 2 have no {method[1]}: write {instead}"
    absent = re.match(r"No module named '(\w+)", message)
    for known, pattern, hint in _KNOWN:
        if known == kind and re.search(pattern, f"{message} {line}"):
            return hint
    return installing(absent[1]) if absent and kind == "ModuleNotFoundError" else ""


def installing(package: str) -> str:
    """Return how what is imported gets here: a package that is known, or a file of theirs.

    Other names are nobody's or anybody's on a package index.
    """
    if package in _DISTRIBUTIONS:
        return f"install it: {sys.executable} -m pip install {_DISTRIBUTIONS[package]}"
    return (
        f"if it is a folder or file of your own: PYTHONPATH=DIR gnbbench ..., where DIR "
        f"holds {package}"
    )


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Not empty where signals are watched: in commands, and in workers, which get no Ctrl-C.
_watched: list[bool] = []
_received: list[int] = []


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP end a study as Ctrl-C does, unless they are ignored."""
    expect_none()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def expect_none() -> None:
    """Attribute a KeyboardInterrupt without a signal to third-party code."""
    _watched.append(True)


def pass_on_interruption(error: BaseException) -> None:
    """Raise an error again if it is an interruption from outside."""
    if isinstance(error, KeyboardInterrupt) and (_received or not _watched):
        raise error


def _interrupt(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt

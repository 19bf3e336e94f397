"""Reports: a Summary becomes terminal text, a page, figures and files."""

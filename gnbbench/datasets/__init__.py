"""Datasets: a name or a path becomes a Dataset.

`catalogue` says what there is and loads nothing heavy; `loading.load` takes a name or a
path, `arrays.from_arrays` takes arrays, `description.describe` says what a page shows.
`files` and `network` read a table, which `tabular` turns into a Dataset; `copies` keeps
what was fetched.
"""

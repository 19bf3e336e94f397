"""Run as: python gnb.py DDOF {train} {test}; the standard library is all it needs."""

import csv
import sys
from math import log, pi
from pathlib import Path


def table(path):
    return list(csv.reader(Path(path).read_text().splitlines()))[1:]


def moments(rows, ddof):
    columns = [[float(cell) for cell in column] for column in zip(*rows, strict=True)]
    means = [sum(column) / len(rows) for column in columns]
    pairs = list(zip(columns, means, strict=True))
    return means, [sum((v - m) ** 2 for v in c) / (len(rows) - ddof) for c, m in pairs]


train, test = map(table, sys.argv[2:])
added = 1e-9 * max(moments([row[:-1] for row in train], 0)[1])
groups = {label: [row[:-1] for row in train if row[-1] == label] for *_, label in train}
models = {c: (len(g), *moments(g, int(sys.argv[1]))) for c, g in sorted(groups.items())}
for row in test:
    scores = {}
    for label, (count, means, variances) in models.items():
        terms = zip(map(float, row), means, [v + added for v in variances], strict=True)
        logs = [log(2 * pi * v) + (x - m) ** 2 / v for x, m, v in terms]
        scores[label] = log(count / len(train)) - 0.5 * sum(logs)
    sys.stdout.write(f"{max(scores, key=scores.get)}\n")

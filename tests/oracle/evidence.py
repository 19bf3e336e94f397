"""Rules that check sentences on a comparison against recomputed runs.

Each takes all texts of a document and what is true, and yields what is wrong.
"""

from collections.abc import Mapping

from oracle import of_assumptions, of_labels, of_numbers, of_times
from oracle.comparing import Rule
from oracle.strangers import strangers

RULES: Mapping[str, Rule] = {
    rule.__name__: rule
    for rule in (
        *(of_labels.counts, of_labels.identical, of_labels.same_labels),
        *(of_labels.same_answers, of_labels.every_run, of_labels.agreements),
        *(of_labels.blame, of_labels.reproduced, of_labels.silence, of_labels.tones),
        *(of_labels.disputed_rows, of_labels.bounds, of_labels.distinct_rows),
        *(of_labels.samples, of_labels.cross_tables, of_numbers.clipped),
        *(of_labels.explained, of_numbers.largest_differences, of_numbers.one_way),
        *(of_numbers.means, of_numbers.differences, of_numbers.effects),
        *(of_numbers.one_split, of_numbers.p_values, of_numbers.p_beside_intervals),
        *(of_numbers.sizes, of_numbers.features),
        *(of_times.directions, of_times.ratios, of_times.untold, of_times.one_factor),
        *(of_assumptions.costs, of_assumptions.correlations, of_assumptions.normality),
        strangers,
    )
}

"""What stands in the tables of a summary of each kind: every column, described once.

Times are in seconds, shares between 0 and 1, differences implementation minus reference,
``low`` and ``high`` the ends of 95 % intervals unless it is said otherwise. What there is
no number for is NaN.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    description: str
    dtype: str | None = None  # None leaves it to the values
    in_sweep: bool = False  # Only where a study has several points


@dataclass(frozen=True)
class Table:
    """A table of a summary."""

    description: str
    columns: tuple[Column, ...]


def _column(line: str) -> Column:
    name, dtype, description = line.split(maxsplit=2)
    kind = dtype.rstrip("*")
    return Column(name, description, None if kind == "-" else kind, dtype.endswith("*"))


# Name, type and description; a type with a star stands only where there are several points,
# and "-" for a type is that of the values.
_SHARED = {
    column.name: column
    for column in map(
        _column,
        """\
implementation             str      Name
operation                  str      "fit", "predict" or "predict_proba"
metric                     str      Name of the metric
mean                       float64  Over the runs that have it
low                        float64  Lower end of the 95 % interval
high                       float64  Upper end of the 95 % interval
label                      str      Class name that was given
truth                      str      Class name
count                      int64    Predictions over all runs
disagreements              int64    Labels other than the reference's
max_probability_difference float64  Absolute
exact_runs                 int64    Compared runs without a disagreement
exact_share                float64* Of the compared runs
mismatches_mean            float64* Disagreements per run
mismatches_median          float64* Disagreements per run
mismatches_max             float64* Disagreements per run
traced_bytes               float64  Allocated by Python and NumPy, beyond arrays given
resident_bytes             float64  Growth of a fresh process, whoever allocated
axis                       -        "samples", "features" or "classes"
size                       -        Along that axis
n_samples                  -        Samples
n_features                 -        Features
n_classes                  -        Classes
""".splitlines(),
    )
}


def _tables(text: str) -> dict[str, Table]:
    """Return tables by name: a heading each, a column a line, or names of shared ones.

    A plus stands for all columns of a table above.
    """
    tables: dict[str, Table] = {}
    for line in text.splitlines():
        if not line.startswith(" "):
            name, _, description = line.partition(": ")
            tables[name] = Table(description, ())
            continue
        words = line.split()
        named = tuple(_SHARED[word] for word in words if word in _SHARED)
        if words[0] == "+":
            columns = tables[words[1]].columns
        else:
            columns = named if len(named) == len(words) else (_column(line),)
        tables[name] = Table(tables[name].description, tables[name].columns + columns)
    return tables


RUN_TABLES = _tables(
    """\
points: One row per point.
    fraction        float64  Share of the samples to train on, as asked for
    n_train         int64    Training samples of each run
    n_test          int64    Test samples of each run
    runs            int64    Runs
    thin_runs       int64    Those with a class of fewer than two to train on
    impossible_runs int64    Runs of which no such split exists
    conservative    bool     More than half tested: intervals too wide
agreement: One row per competitor.
    implementation
    predictions                          int64    Compared predictions
    disagreements
    agreement                            float64  Share of equal labels
    exact_runs exact_share mismatches_mean mismatches_median mismatches_max
    compared_runs                        int64    Runs in which both gave labels
    row_bound                            float64  95 % bound on the share of rows in dispute
    disputed_rows                        int64    Rows labelled differently in some run
    tested_rows                          int64    Distinct rows that were tested, expected
    max_probability_difference
    mean_probability_difference          float64  Absolute
    max_joint_log_likelihood_difference  float64  Absolute
    mean_joint_log_likelihood_difference float64  Absolute
    kappa                                float64  Cohen's, of pooled labels, or NaN
    mcnemar_p                            float64  Mid-p on run 0; NaN: no discordant pair
metrics: One row per implementation and metric. No spread for one run, nor for pooled runs.
    implementation metric mean
    spread float64  Standard deviation over splits, no interval
    low high
    p5     float64* 5th percentile of single runs
    p95    float64* 95th percentile of single runs
    runs   int64    Those that have the metric
differences: Competitor minus reference, paired within runs; without calibration error.
    implementation metric
    runs    int64    Those in which both have the metric
    mean low high
    p       float64  After Holm over all of a metric; NaN: all are zero
    equivalence_margin float64 Smallest that could be shown, by difference and by rows
    outcome str      What the difference is called
timing: One row per implementation and operation, timed at one point.
    implementation operation
    median_seconds             float64  Median of the processes' medians
    p5_seconds                 float64  5th percentile of the rounds
    p95_seconds                float64  95th percentile of the rounds
    minimum_seconds            float64  Quickest round
    mean_seconds               float64  Of the rounds
    standard_deviation_seconds float64  Of the rounds
    cold_seconds               float64  First call
    rounds                     int64    Rounds
ratios: Times of each competitor over the reference's.
    implementation operation
    ratio           float64  Median of the paired ratios
    low             float64  Lower end of the interval, corrected by Holm
    high            float64  Upper end of the interval, corrected by Holm
    floor_low       float64  Of the reference against itself
    floor_high      float64  Of the reference against itself
    speed           str      "faster", "slower" or "not separated"
    outliers        int64    Ratios far from their median; they stay in
    ties            int64    Rounds in which both times were equal
    autocorrelation float64  Of successive rounds
    processes       int64    Processes that rounds were timed in
    process_low     float64  Smallest of one process; NaN for one
    process_high    float64  Largest of one process; NaN for one
memory: Peaks on run 0.
    implementation operation traced_bytes resident_bytes
label_pairs: Every pair of labels, zeros included.
    implementation
    reference_label str      Class name that the reference gave
    label count
probability_differences: Absolute ones: zeros, below 1e-16, powers of ten.
    implementation
    low   float64  Lower edge of the bin
    high  float64  Upper edge of the bin
    count int64    Probabilities
disputed_rows: One row per competitor and disputed row of the data, most disputed first.
    implementation
    row             -        Index in the dataset
    truth
    tested          -        Runs in which it was labelled
    disputed        -        Runs in which labels differed
    votes           str      Text, such as "virginica 97 %, versicolor 3 %"
    reference_votes str      Likewise, of the reference
    smallest_margin -        Between the reference's two best probabilities
class_scores: Scores over pooled test predictions; a class never predicted has precision 0.
    implementation
    class_name str      Class
    precision  float64  Share
    recall     float64  Share
    f1         float64  Share
    support    -        Predictions of samples of the class
confusion: Every cell, summed over runs; labels that are no class have a column.
    implementation truth label count
    share float64  Of the truth's row
reliability: Confidence against accuracy, fifteen bins; empty ones are left out.
    implementation
    low             float64  Lower edge of the bin
    high            float64  Upper edge of the bin
    count
    mean_confidence float64  In the bin
    accuracy        float64  In the bin
    accuracy_low    float64  Wilson's interval, on rows
    accuracy_high   float64  Wilson's interval, on rows
timing_rounds: Every timing.
    implementation operation
    process int64    Number of the process, from 0
    round   int64    Number of the round, from 0
    seconds float64  Of one call
    loops   int64    Calls in that timing
features: What the data say of each feature.
    feature            -        Name
    minimum            -        Smallest value
    maximum            -        Largest value
    mean               -        Mean
    standard_deviation -        Standard deviation
    distinct           -        Number of distinct values
"""
)

STREAM_TABLES = _tables(
    """\
passes: What the passes over a stream took.
    stage           str      "training" or "scoring"
    what            str      "reading", "calls" or "whole pass"
    implementation  str      Of the calls, else empty
    rows            int64    Rows that passed by
    seconds         float64  In all
    rows_per_second float64  NaN where the clock stood still
    times_reading   float64  Over the seconds of reading
parameters: How far trained models are apart.
    implementation
    parameter                   str      Name of the attribute
    largest_relative_difference float64  From the reference's; NaN where one offers none
"""
)

SWEEP_TABLES = _tables(
    """\
overall: All runs of all train fractions alike; NaN for the reference itself.
    implementation
    runs          float64  Compared with the reference
    exact_runs    float64  Those without a disagreement
    exact_share mismatches_mean mismatches_median mismatches_max max_probability_difference
    test_accuracy float64  Mean over the runs that have one
    failed_runs   int64    With an error, where there was a split
mismatch_counts: Runs by their number of disagreements.
    implementation disagreements
    runs int64    Runs with as many
slopes: Learning curve: gain from one train fraction to the next.
    implementation
    from_fraction float64  Smaller train fraction
    to_fraction   float64  Next train fraction
    slope         float64  Mean gain in test accuracy per ten points
    low high
"""
)

# The sizes of a point stand in its rows, and in the place of its number.
SCALE_TABLES = _tables(
    """\
exponents: How time grows along each axis.
    axis operation implementation
    exponent -        p of time ~ size^p over the upper sizes
    low high
    first    -        Smallest size it was taken from; 0 for none
    last     -        Largest size it was taken from; 0 for none
    points   -        Number of sizes
times: One row per point, operation and implementation.
    axis size n_samples n_features n_classes operation implementation
    seconds          -        Median of the processes' medians
    low_seconds      -        Smallest median of a process
    high_seconds     -        Largest median of a process
    processes        -        Processes
    rounds           -        Rounds
    ratio            -        Over the reference's time
    ratio_low        -        Lower end of its interval
    ratio_high       -        Upper end of its interval
    floor_low        -        Of the reference against itself
    floor_high       -        Of the reference against itself
    speed            -        "faster", "slower", "not separated", or empty
    rows_per_second  -        Rows of X
    bytes_per_second -        Bytes of X
    share_of_read    -        Time of one read of X over its time
reads: The physical limit: one read of X.
    axis size n_samples n_features n_classes operation
    seconds          -        Median of the processes' medians
    bytes_per_second -        Bytes of X
agreement: Labels at each point; NaN where there was nothing to compare with.
    axis size n_samples n_features n_classes implementation
    status        -        "ok", "error", "timeout", "crash" or "budget"
    message       -        Of a failure, or a warning
    n_test        -        Labels compared
    disagreements -        Labels other than the reference's
    agreement     -        Share of equal labels
memory: Peaks, also as multiples of the size of X.
    axis size n_samples n_features n_classes operation implementation
    traced_bytes resident_bytes
    traced_multiple   -        Of the size of X
    resident_multiple -        Of the size of X
stops: What was left out, and why.
    axis implementation
    status   -        What became of it
    size     -        The last reached, NaN where none
    sentence -        Says so
"""
)

# The number of the point leads their rows.
POINTED = frozenset({*RUN_TABLES, "mismatch_counts"} - {"features"})

# In the document of one implementation, what was examined stands at the top; below each
# implementation there are `results`, its outcomes.
CONFORMANCE_TABLES = _tables(
    """\
implementations: What was examined.
    implementation
    description      -        What it is
    version          -        Of its library; empty where none is known
    n_checks         -        Checks
    n_applicable     -        Those that ask only for what it offers
    n_passed         -        Passes
    n_failed         -        Failures, crashes and time-outs
outcomes: One row per check, in the order of the battery.
    id               -        Of the check
    family           -        What it belongs to
    outcome          str      "pass", "fail", "crash", "timeout" or "not applicable"
    expected_failure bool     Whether its failure is known
    measured         float64  The number that is compared with the tolerance
    tolerance        float64  What it may be at most; nothing where it is yes or no
    unit             -        Of both
    seconds          float64  Wall time
    message          -        The evidence, in one line
    statement        -        What must hold
    source           -        Where the requirement and its tolerance come from
results: One row per implementation and check.
    implementation
    version          -        Of its library; empty where none is known
    + outcomes
checks: What can be examined, as a list shows it.
    id        -        Of the check
    family    -        What it belongs to
    statement -        What must hold
    tolerance -        What may be measured at most; nothing where it is yes or no
    unit      -        Of the number measured
    source    -        Where the requirement and its tolerance come from
"""
)

CHECK_TABLES = _tables(
    """\
files: One row per file.
    implementation
    found           -        Name of the class or the functions in it
    status          -        "same labels", "differs" or "cannot be run"
    n_predictions   int64    Labels compared, over all data and runs
    n_disagreements int64    Labels that differ from scikit-learn's
    unexplained     int64    Those without a cause
    causes          -        Names, the most important first
    n_passed        int64    Checks of the battery that it passes
    n_applicable    int64    Checks that ask only for what it offers
    fit_ratio       float64  Time of fit over scikit-learn's
    predict_ratio   float64  Time of predict over scikit-learn's
    adaptations     -        How it was called, where that is not fit(X, y) and predict(X)
    error           -        Why it could not be run
labels: One row per file and dataset.
    implementation
    dataset         -        Name
    n_runs          int64    Random splits
    n_predictions   int64    Labels compared
    n_disagreements int64    Labels that differ from scikit-learn's
    causes          -        Names, the most important first
causes: One row per file and cause.
    implementation
    cause           -        Name
    summary         -        What it does otherwise, in a sentence
    remedy          -        What to change to agree with scikit-learn
    explained       int64    Labels that differ because of it
    datasets        -        Those on which it shows
    evidence        -        In a sentence
"""
)

REPRODUCE_TABLES = _tables(
    """\
claims: One row per published figure.
    id             -        Of the claim
    source         -        Key of its source
    dataset        -        Datasets that it may be of
    metric         -        Of `gnbbench.claims.metrics.METRICS`
    implementation
    published      -        As printed
    measured       -        With the digits of the published figure
    verdict        -        Such as "reproduced"
    expected       -        The verdict when it was entered
    lost           -        Whether it held when it was entered and does not any more
    explanation    -        Sentences
    seconds        -        Without what other claims had measured before
sources: Where figures were published.
    key            -        Short name
    title          -        Of the text
    year           -        Null where it is not known
    where          -        Place in it
    note           -        What holds for all its figures
listed: What can be measured, as a list shows it.
    id             -        Of the claim
    source         -        Key of its source
    metric         -        Of `gnbbench.claims.metrics.METRICS`
    implementation
    protocol       -        How it was come by
    published      -        As printed
    expected       -        The verdict when it was entered
    note           -        Of the claim
results: One object per published figure.
    + listed
    verdict        -        Such as "reproduced"
    lost           -        Whether it held when it was entered and does not any more
    cut            -        Whether fewer runs were made than asked for
    explanation    -        Sentences
    seconds        -        Without what other claims had measured before
    measured       -        List of readings
    contrasts      -        List of the same figure of other implementations
readings: One object per reading of a protocol. Shares are between 0 and 1.
    dataset        -        Name
    reading        -        What tells it from the others
    value          -        In the metric's own unit
    share_reached  -        Of seeds that give the published figure
    n_repeats      -        Seeds, or resampled sets of runs
    resampled      -        Whether they are those
    low            -        Of the central 95 % of the values, or a time's interval
    high           -        Likewise
    spread         -        Standard deviation of times
    message        -        Why it failed, or what a reader should know
contrasts: The same figure of another implementation.
    implementation
    value          -        In the metric's own unit
    is_published   -        Whether it comes to the published figure too
"""
)

EXPLAIN_TABLES = _tables(
    """\
diagnoses: What was found on each implementation.
    implementation
    verdict                      - One sentence
    same                         - Nothing differs beyond rounding, parameters neither
    causes                       - Objects as below, the most important first
    unexplained                  - Disagreements without a cause; "not-gnb" is one
    n_disagreements              - Labels that differ
    n_predictions                - Labels compared
    reproduced_share             - Of the predictions, by the setting found
    largest_remaining_difference - Between posteriors; null where they are not offered
    setting                      - The variant of Gaussian naive Bayes that was found
    rivals                       - Other causes that would give the same labels
    not_shown                    - What would move no label on these data
    disagreements                - Objects as below, the first 200
causes: What an implementation does otherwise.
    cause     - Name out of `gnbbench.diagnosis.CAUSES`
    explained - Disagreements; of "crash" predictions missing, of "nan" rows without any
    estimate  - Number, text or null
    evidence  - What speaks for it, one sentence
    summary   - What is done, one sentence
    remedy    - What to write to agree with the reference; may be empty
    interval  - Amounts that do as well as the estimate, or null
disagreements: The first 200 of each; in JSON with details of those shown in full, or null.
    implementation
    run                  - Number of the run
    row                  - Index in the dataset
    truth                - Label of the data
    reference_label      - Label that the reference gave
    label                - Label that was given
    cause                - What alone restores the reference's label, joined by + or none
    margin               - Lead of the reference's label in log-odds, by its formulas
    reference_confidence - The reference's largest posterior
    confidence           - Largest posterior
contributions: What each feature says in the disagreements that are shown in full.
    implementation
    run                    - Number of the run
    row                    - Index in the dataset
    feature                - Name, or the prior and the rest
    value                  - Of the sample
    reference_contribution - To the log-odds, by the reference's formulas
    contribution           - Likewise, under the setting found
    change                 - The latter minus the former
"""
)

# Costs are accuracy and log loss of GNB and of models without one assumption, differences
# model minus GNB.
ASSUMPTIONS_TABLES = {
    "costs": RUN_TABLES["metrics"],
    "differences": RUN_TABLES["differences"],
    **_tables(
        """\
independence: Dependence of the features of a class, and the test of none.
    class_name               - Class
    n                        - Samples
    features                 - Features that vary
    feature                  - Of the most correlated pair; empty where there is none
    other_feature            - Likewise
    max_abs_r                - The largest of Pearson's |r|
    mean_abs_r               - Their mean
    max_abs_spearman         - The largest of Spearman's |rho|
    mean_abs_spearman        - Their mean
    total_correlation        - In nats: -1/2 log det R
    chance_total_correlation - Expected of as many independent features
    statistic                - Chi square of Bartlett's test
    degrees_of_freedom       - Of the test
    p                        - NaN where nothing was tested
    p_holm                   - After Holm over the classes
    pairs                    - Pairs that the test of any dependence looked at
    dependent_pairs          - Those whose p is below 0.05
    max_dependence           - Largest correlation of a pair, of waves of ranks as well
    dependent_feature        - Of that pair; empty where there is none
    dependent_other_feature  - Likewise
    p_permutation            - Least p of a pair, over all pairs and classes
    note                     - Why there is no chi square, or empty
largest_correlations: The ten pairs of each class with the largest |r|.
    class_name    - Class
    feature       - Name
    other_feature - Name
    pearson       - r
    spearman      - rho
normality: How far each feature is from normal within each class.
    class_name         - Class
    feature            - Name
    n                  - Samples
    mean               - Mean
    standard_deviation - By maximum likelihood, divisor n
    skewness           - Third standardised moment
    excess_kurtosis    - Fourth standardised moment less 3
    qq_correlation     - Of ordered values with normal quantiles
    shapiro_w          - Shapiro and Wilk's statistic, up to 5000 samples
    shapiro_p          - Its p
    anderson_a2        - Anderson and Darling's statistic, from 8 samples
    anderson_p         - Its p
    test               - The one that decides
    p                  - Of that test
    p_holm             - After Holm over all classes and features
    note               - Why nothing was tested, or empty
runs: One row per run and model.
    run            - Number of the run
    implementation - The model
    status         - "ok" or "error"
    message        - Of the error, or what the model warned of
    test_accuracy  - Share
    log_loss       - In nats, probabilities clipped to machine epsilon
correlations: Every cell of the correlation matrices of every class.
    + largest_correlations
histograms: Bins of one width for each class and feature.
    class_name - Class
    feature    - Name
    low        - Lower edge
    high       - Upper edge
    count      - Samples
    density    - Share over the width
densities: Curves over the histograms.
    class_name - Class
    feature    - Name
    x          - Value of the feature
    gaussian   - Density that the model fits
    kernel     - Density without a shape given
quantile_points: Points of the Q-Q plots, at most 200 a class and feature.
    class_name  - Class
    feature     - Name
    theoretical - Normal quantile
    observed    - Standardised value
"""
    ),
}

SWEEP = "sweep-split"
TABLES: Mapping[str, Mapping[str, Table]] = {
    "compare": RUN_TABLES,
    "stream": {**RUN_TABLES, **STREAM_TABLES},
    SWEEP: {**RUN_TABLES, **SWEEP_TABLES},
    "scale": SCALE_TABLES,
    "conformance": CONFORMANCE_TABLES,
    "check": {
        **CHECK_TABLES,
        "results": CONFORMANCE_TABLES["results"],
        "ratios": RUN_TABLES["ratios"],
    },
    "reproduce": REPRODUCE_TABLES,
    "explain": EXPLAIN_TABLES,
    "assumptions": ASSUMPTIONS_TABLES,
}

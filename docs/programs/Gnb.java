// java Gnb.java DDOF {train} {test}
import java.nio.file.*; import java.util.*; import java.util.stream.*;
class Gnb {
  static double mean(double[] a) { return Arrays.stream(a).sum() / a.length; }
  static double variance(double[] a, int ddof) { double m = mean(a);
    return Arrays.stream(a).map(v -> (v - m) * (v - m)).sum() / (a.length - ddof); }
  static double[] column(List<String[]> rows, int j) { return rows.stream().mapToDouble(r -> Double.parseDouble(r[j])).toArray(); }
  static List<String[]> table(String path) throws Exception { return Files.lines(Path.of(path)).skip(1).map(l -> l.split(",")).toList(); }
  public static void main(String[] argument) throws Exception {
    int ddof = Integer.parseInt(argument[0]); var train = table(argument[1]); int d = train.get(0).length - 1;
    double most = 1e-9 * IntStream.range(0, d).mapToDouble(j -> variance(column(train, j), 0)).max().orElse(0);
    var classes = new TreeMap<>(train.stream().collect(Collectors.groupingBy(r -> r[d])));
    var means = new TreeMap<String, double[]>(); var variances = new TreeMap<String, double[]>();
    classes.forEach((c, rows) -> { means.put(c, IntStream.range(0, d).mapToDouble(j -> mean(column(rows, j))).toArray());
      variances.put(c, IntStream.range(0, d).mapToDouble(j -> variance(column(rows, j), ddof) + most).toArray()); });
    for (var row : table(argument[2])) { String best = null; double top = Double.NEGATIVE_INFINITY;
      for (var c : classes.keySet()) { double score = Math.log((double) classes.get(c).size() / train.size());
        for (int j = 0; j < d; j++) { double v = variances.get(c)[j], x = Double.parseDouble(row[j]) - means.get(c)[j];
          score -= 0.5 * (Math.log(2 * Math.PI * v) + x * x / v); }
        if (best == null || score > top) { top = score; best = c; } }
      System.out.println(best); } } }

// Weka's NaiveBayes: java -cp /usr/share/java/weka.jar Weka.java {train} {test}
import java.nio.file.*; import java.util.*; import java.util.stream.*; import weka.core.*;
class Weka { public static void main(String[] path) throws Exception {
  var tables = new ArrayList<List<String[]>>();
  for (String p : path) tables.add(Files.lines(Path.of(p)).map(l -> l.split(",")).toList());
  var names = tables.get(0).get(0); int d = names.length - 1; var labels = new FastVector(); var columns = new FastVector();
  new TreeSet<>(tables.get(0).stream().skip(1).map(r -> r[d]).toList()).forEach(labels::addElement);
  for (int j = 0; j < d; j++) columns.addElement(new Attribute(names[j]));
  columns.addElement(new Attribute("label", labels)); var data = new Instances("train", columns, 0); data.setClassIndex(d);
  for (var r : tables.get(0).subList(1, tables.get(0).size())) data.add(row(r, d, labels.indexOf(r[d])));
  var model = new weka.classifiers.bayes.NaiveBayes(); model.buildClassifier(data);
  System.out.println("label," + Collections.list(labels.elements()).stream().map(Object::toString).collect(Collectors.joining(",")));
  for (var r : tables.get(1).subList(1, tables.get(1).size())) { var x = row(r, d, 0); x.setDataset(data); System.out.println(labels.elementAt((int) model.classifyInstance(x)) + Arrays.stream(model.distributionForInstance(x)).mapToObj(v -> "," + v).collect(Collectors.joining())); }
} static Instance row(String[] r, int d, int label) { var x = new double[d + 1]; for (int j = 0; j < d; j++) x[j] = Double.parseDouble(r[j]); x[d] = label; return new Instance(1, x); } }

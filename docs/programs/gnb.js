const fs = require('fs');
const [ddof, train, test, out] = process.argv.slice(2);
const read = path => fs.readFileSync(path, 'utf8').trim().split('\n').slice(1).map(line => line.split(','));
const rows = read(train), d = rows[0].length - 1, classes = [...new Set(rows.map(r => r[d]))].sort();
const sum = a => a.reduce((p, q) => p + q, 0), mean = a => sum(a) / a.length;
const spread = (a, k) => { const m = mean(a); return sum(a.map(v => (v - m) ** 2)) / (a.length - k); };
const column = (table, j) => table.map(r => +r[j]), places = [...Array(d).keys()];
const most = 1e-9 * Math.max(...places.map(j => spread(column(rows, j), 0)));
const models = classes.map(c => { const part = rows.filter(r => r[d] === c);
  return { prior: part.length / rows.length, means: places.map(j => mean(column(part, j))),
    variances: places.map(j => spread(column(part, j), +ddof) + most) }; });
const lines = read(test).map(r => {
  const scores = models.map(m => Math.log(m.prior) - 0.5 * sum(places.map(j =>
    Math.log(2 * Math.PI * m.variances[j]) + (r[j] - m.means[j]) ** 2 / m.variances[j])));
  const top = Math.max(...scores), p = scores.map(s => Math.exp(s - top)), total = sum(p);
  return [classes[scores.indexOf(top)], ...p.map(q => q / total)].join(','); });
fs.writeFileSync(out, [['label', ...classes].join(','), ...lines].join('\n') + '\n');

// ml-naivebayes from npm, found by NODE_PATH: node ml-naivebayes.js {train} {test}
const fs = require('fs');
const { GaussianNB } = require('ml-naivebayes');
const [train, test] = process.argv.slice(2).map(path =>
  fs.readFileSync(path, 'utf8').trim().split('\n').slice(1).map(line => line.split(',')));
const labels = train.map(row => row.pop());
const classes = [...new Set(labels)].sort();
const model = new GaussianNB();
model.train(train.map(row => row.map(Number)), labels.map(label => classes.indexOf(label)));
for (const place of model.predict(test.map(row => row.map(Number))))
  console.log(place < 0 ? 'none' : classes[place]);

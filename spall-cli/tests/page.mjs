// Asks a saved page, which comes on the standard input, for its numbers: for each range of the first argument the statistics
// and the call tree, and with a second argument the boxes of a frame of so many columns.
import { readFileSync } from 'node:fs';

const page = readFileSync(0, 'utf8');
const data = page.match(/octet-stream">([^<]*)</)[1];
const script = page.slice(page.lastIndexOf('<script>') + '<script>'.length, page.lastIndexOf('</script>'));
// Without the module that shows the trace, nothing needs a document.
Object.assign(globalThis, { HTMLElement: class {}, matchMedia: () => ({}) });
const modules = script.slice(0, script.indexOf('const module_start'));
const { EmbeddedSource, Graphs } = new Function(`${modules}; return { ...module_embedded, ...module_graphs };`)();

const source = new EmbeddedSource(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
const { trace } = source, ranking = { order: 'name', isAscending: true, filter: '', most: Infinity };

function tree(range) {
  const nodes = [];
  for (const waiting = [['', new Graphs(source).tree({ ...range, tracks: 'all' }, [])]]; waiting.length;) {
    const [path, { children }] = waiting.pop();
    for (const child of children.values()) {
      const below = `${path};${trace.names[child.name]}`;
      nodes.push([below, child.count, child.total, child.own]);
      waiting.push([below, child]);
    }
  }
  return nodes;
}

const answers = JSON.parse(process.argv[2]).map(([start, end]) => {
  const { rows } = source.statistics({ start, end, tracks: 'all' }, 'name', ranking);
  return { statistics: rows.map((row) => [row.name, row.count, row.total, row.own, row.min, row.max, row.mean]), tree: tree({ start, end }) };
});
const columns = Number(process.argv[3]);
const boxes = { edges: [], numbers: [] };
if (columns) source.rowBoxes(trace.rows[0], 0, 1, { start: 0, duration: trace.span, columns, colorBy: 'name' }, boxes);
const owners = Array.from({ length: boxes.numbers.length / 6 }, (_, box) => trace.names[boxes.numbers[6 * box + 3]]);
console.log(JSON.stringify({ answers, owners }));

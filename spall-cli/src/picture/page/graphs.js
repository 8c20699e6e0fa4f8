// Call trees of the trace in the page, as pictures: a flame graph, bottom-up, and the callers and callees of a function.
import { duration } from '../../web/ui/text.js';

const ROW = 18; // pixels
const DEEPEST = 200; // callers above one another

export class Graphs {
  constructor(source) {
    this.source = source;
    this.shown = [];
  }

  // Makes the graph of a place on the page. The boxes of a row are those that fit, from left to right.
  make(place, { area, graph, slice, without }) {
    const { trace } = this.source;
    const wanted = without.toLowerCase(), name = slice === undefined ? undefined : trace.name[slice];
    const tree = this.tree(area, wanted ? trace.names.map((text) => text.toLowerCase().includes(wanted)) : []);
    const root = { flame: () => tree, 'bottom-up': () => inverted(all(tree), 'own'), callers: () => inverted(outermost(tree, name), 'total'), callees: () => callees(tree, name) }[graph]();
    // What takes less than a ten-thousandth would not be seen.
    const least = graph === 'bottom-up' || graph === 'callers' ? Math.floor(sum([...tree.children.values()]) / 10_000) : 0;
    const rows = [], boxes = [];
    // Without recursion, because a tree may be deep.
    for (const waiting = [[root, 0, -1]]; waiting.length;) {
      const [node, from, depth] = waiting.pop();
      if (depth >= 0) (rows[depth] ??= []).push({ node, from, id: boxes.push({ node, from, depth }) - 1 });
      if (depth >= 0 && node.total < least) continue;
      let at = from;
      for (const child of [...node.children.values()].sort((a, b) => b.total - a.total)) {
        waiting.push([child, at, depth + 1]);
        at += child.total;
      }
    }
    for (const row of rows) row.sort((a, b) => a.from - b.from);
    const total = sum([...root.children.values()]);
    this.shown[place] = { rows, boxes, total };
    return { total, rows: rows.length, of: name === undefined ? '' : trace.names[name] };
  }

  // Sums by call path. The time of functions that are left out is that of their callers.
  tree(area, isLeftOut) {
    const { source } = this, { trace } = source, root = node(), shown = new Map();
    source.walk(area, (slice, from, until) => {
      // Of a span whose caller is over before the range begins, the nearest one around that caller counts.
      let outer = trace.parent[slice];
      while (outer && !shown.has(outer)) outer = trace.parent[outer - 1];
      const around = shown.get(outer) ?? { node: root, until: Infinity };
      shown.set(slice + 1, around);
      if (isLeftOut[trace.name[slice]]) return;
      const own = child(around.node, trace.name[slice]);
      own.own += until - from;
      own.count++;
      // A span may outlive its caller.
      around.node.own -= Math.max(Math.min(until, around.until) - from, 0);
      shown.set(slice + 1, { node: own, until });
    });
    for (const one of all(root).reverse()) {
      one.total += one.own;
      one.parent.total += one.total;
    }
    return root;
  }

  frame(place, start, end, columns, most, label) {
    const { trace } = this.source, edges = [], numbers = [], names = [];
    for (const [depth, row] of this.shown[place].rows.slice(0, most).entries()) {
      let last = -1;
      for (const { node, from, id } of row) {
        const [x0, x1] = [from, from + node.total].map((at) => ((at - start) / (end - start)) * columns);
        if (x1 <= 0 || x0 >= columns || Math.floor(x1) === last) continue;
        last = Math.floor(x1);
        edges.push(x0, x1);
        numbers.push(depth * ROW, ROW, id, node.name, 1, trace.shades[node.name] | (3 << 5));
        if (x1 - x0 >= label) names.push([node.name, trace.names[node.name]]);
      }
    }
    return { part: { edges, numbers }, names };
  }

  box(place, id) {
    const { trace } = this.source, { boxes, total } = this.shown[place], { node, from, depth } = boxes[id];
    const timed = (ticks) => `${duration(ticks, trace.unit)}, ${((100 * ticks) / (total || 1)).toFixed(1)} %`;
    const facts = [['total', timed(node.total)], ['self', timed(node.own)], ['slices', String(node.count)]];
    return { name: trace.names[node.name], plain: trace.names[node.name], start: from, end: from + node.total, depth, facts };
  }
}

const node = (name, parent) => ({ name, parent, children: new Map(), total: 0, own: 0, count: 0 });
const sum = (nodes) => nodes.reduce((total, { total: one }) => total + one, 0);

function child(parent, name) {
  if (!parent.children.has(name)) parent.children.set(name, node(name, parent));
  return parent.children.get(name);
}

function all(root) {
  const nodes = [root];
  for (let at = 0; at < nodes.length; at++) nodes.push(...nodes[at].children.values());
  return nodes.slice(1);
}

// Gives nodes the time that their children leave.
function settled(root) {
  for (const one of all(root)) one.own = one.total - sum([...one.children.values()]);
  return root;
}

// The nodes of a function that are not below others of it.
function outermost(tree, name) {
  const nodes = all(tree);
  for (const one of nodes) one.isInside = one.parent.isInside || one.parent.name === name;
  return nodes.filter((one) => one.name === name && !one.isInside);
}

// Functions and below each its callers, with the times `of` some nodes.
function inverted(nodes, of) {
  const root = node();
  for (const found of nodes) {
    if (!found[of]) continue;
    let at = root, depth = 0;
    for (let one = found; one.parent && depth <= DEEPEST; one = one.parent, depth++) {
      at = child(at, one.name);
      at.total += found[of];
      at.count += found.count;
    }
  }
  return settled(root);
}

// A function and below it what it calls.
function callees(tree, name) {
  const root = node();
  for (const found of outermost(tree, name)) {
    for (const waiting = [[found, root]]; waiting.length;) {
      const [from, above] = waiting.pop(), to = child(above, from.name);
      to.total += from.total;
      to.count += from.count;
      for (const below of from.children.values()) waiting.push([below, to]);
    }
  }
  return settled(root);
}

// Holds a trace, compiled Rust and nothing else. The page asks with { id, call, args } and gets { id, answer }.
import init, { Viewer } from './pkg/spall_web.js';

const PIECE = 4 << 20; // bytes that are read at once
const BY_ITSELF = -(2n ** 63n); // the offset of a file that says where it belongs

let viewer;
let opened; // the files of the viewer, their offsets, and the value of their samples that was chosen
let summed; // what the sums at hand are of
let summing = 0, adding = 0, finding = 0; // the numbers of the last questions for statistics, a call tree and hits

// Makes a viewer of files, whose bytes Rust asks for piece by piece. The page is told how far that is.
async function load(files, progress, offsets = files.map(() => undefined), value = undefined) {
  await init({ module_or_path: new URL('./pkg/spall_web_bg.wasm', import.meta.url) });
  let failed, unread = files.map(() => true);
  try {
    viewer = new Viewer(...inputs(files, offsets, progress), value);
    unread = viewer.unread();
    opened = { files, offsets, value };
  } catch (error) {
    failed = error;
  }
  const unpacked = await Promise.all(files.map((file, at) => (unread[at] ? withoutBrotli(file) : file)));
  if (unpacked.some((file, at) => file !== files[at])) {
    try {
      return await load(unpacked, progress, offsets, value);
    } catch {
      // It was no brotli after all.
    }
  }
  if (failed) throw failed;
}

// What Rust gets of files: their names, what reads them, and their offsets.
function inputs(files, offsets, progress) {
  const reader = new FileReaderSync();
  const size = files.reduce((sum, file) => sum + file.size, 0);
  let told = 0, before = 0;
  const readers = files.map((file) => {
    const base = before;
    before += file.size;
    // Rust asks for small pieces, and the browser takes its time for each.
    let held = new Uint8Array(), start = 0;
    return (from, to) => {
      if (from < start || from >= start + held.length) {
        held = new Uint8Array(reader.readAsArrayBuffer(file.slice(from, from + PIECE)));
        start = from;
      }
      const at = base + Math.min(to, file.size);
      if (performance.now() - told > 50 || at >= size) {
        told = performance.now();
        progress(at, at >= size ? 'Laying out …' : undefined);
      }
      return held.subarray(from - start, to - start);
    };
  });
  return [files.map(({ name }) => name), readers, BigInt64Array.from(offsets, (offset) => offset ?? BY_ITSELF)];
}

// The module for what is seldom needed.
async function extra() {
  const module = await import('./pkg/spall_web_extra.js');
  await module.default({ module_or_path: new URL('./pkg/spall_web_extra_bg.wasm', import.meta.url) });
  return module;
}

// The content of a file that is a brotli stream, or the file itself. Brotli has no mark: only a file that is nothing else is
// asked, and its decoder is a module that few pages load.
async function withoutBrotli(file) {
  const { default: init, decode, may_be_brotli } = await import('./pkg/spall_web_brotli.js');
  await init({ module_or_path: new URL('./pkg/spall_web_brotli_bg.wasm', import.meta.url) });
  const bytes = async (blob) => new Uint8Array(await blob.arrayBuffer());
  if (!may_be_brotli(await bytes(file.slice(0, 1 << 16)))) return file;
  const content = decode(await bytes(file));
  return content.length ? new File([content], file.name) : file;
}

const STEP = 2000; // how many elements a step looks at: the one of `task.rs`
const channel = new MessageChannel(), pausing = [];
channel.port1.onmessage = () => pausing.shift()();

// Lets other questions be answered first.
const pause = () => new Promise((resolve) => {
  pausing.push(resolve);
  channel.port2.postMessage(0);
});

// Goes on until a step says that it was the last. Returns false if the answer is no longer wanted. `progress` is told how
// much was looked at.
async function inSteps(step, isWanted, progress) {
  let done = 0, told = performance.now();
  for (;;) {
    const until = performance.now() + 8;
    while (performance.now() < until) {
      if (step()) return isWanted();
      done += STEP;
    }
    if (performance.now() - told > 100) {
      told = performance.now();
      progress?.(done);
    }
    await pause();
    if (!isWanted()) return false;
  }
}

// Adds up the calls of an area, unless another question comes in between.
async function addUp(area, without, progress) {
  const number = ++adding;
  const isWanted = () => number === adding;
  viewer.begin_tree(area, without);
  const isDone = await inSteps(() => viewer.step_tree(), isWanted, progress);
  return isDone && isWanted;
}

const calls = {
  async open(progress, files, offsets, value) {
    await load(files, progress, offsets, value);
    return viewer.about();
  },
  // What was asked before is about other slices.
  filter(choice) {
    summing++, adding++, finding++;
    summed = undefined;
    viewer.filter(choice);
  },
  frame(wanted) {
    const began = performance.now();
    const frame = viewer.frame(wanted);
    frame.queryMs = performance.now() - began;
    return frame;
  },

  // A text, or a regular expression between slashes. It is looked for in names, tracks and arguments.
  async find(progress, text) {
    const number = ++finding;
    if (text === undefined) return viewer.find_nothing();
    const [, pattern] = text.match(/^\/(.+)\/$/) ?? [];
    let expression;
    try {
      expression = pattern && new RegExp(pattern, 'iu');
    } catch (error) {
      return { error: error.message };
    }
    viewer.begin_find(text, expression && ((name) => expression.test(name)));
    const isDone = await inSteps(() => viewer.step_find(), () => number === finding, progress);
    return isDone ? viewer.found() : undefined;
  },

  // The last question wins; the others are answered with nothing.
  async statistics(progress, area, by, ranking) {
    const number = ++summing, what = JSON.stringify([area, by]);
    if (what !== summed) {
      summed = undefined;
      viewer.begin_statistics(area, by === 'function');
      if (!(await inSteps(() => viewer.step_statistics(), () => number === summing, progress))) return undefined;
      summed = what;
    }
    return viewer.statistics(ranking);
  },
  cancelStatistics() {
    summing++;
  },

  async graph(progress, place, wanted) {
    const isWanted = await addUp(wanted.area, wanted.without, (done) => progress(done, 'slices'));
    if (!isWanted) return undefined;
    viewer.begin_graph(place, wanted);
    const isDone = await inSteps(() => viewer.step_graph(), isWanted, (done) => progress(done, 'functions placed'));
    return isDone ? viewer.graph() : undefined;
  },
  cancelGraph() {
    adding++;
    viewer.cancel_tree();
    viewer.cancel_graph();
  },
  // All calls of a file, by a value of its samples.
  async tree(progress, file, value) {
    await load([file], progress, undefined, value);
    await addUp({ start: viewer.about().start, end: viewer.about().end + 1 }, '', () => progress(file.size, 'Adding up …'));
    return viewer.tree();
  },
  // What is damaged, with its bytes and times. Those of several files are not told apart.
  async damage() {
    const { files, offsets } = opened;
    const found = files.length > 1 ? [] : viewer.damage().sort(([, a], [, b]) => a - b);
    if (!found.length) return [];
    const [, [read]] = inputs(files, offsets, () => {});
    const times = (await extra()).times(read, Float64Array.from(found, ([, byte]) => byte));
    return found.map(([text, byte], at) => ({ text, byte, at: times[at] === BY_ITSELF ? undefined : viewer.at(times[at]) }));
  },
  // The page that `spall render` writes of the same files.
  async save(progress, title) {
    return (await extra()).page(title, ...inputs(opened.files, opened.offsets, progress), opened.value);
  },
  compare: ({ names, numbers }) => viewer.compare(names, numbers),
};

// Answers a call, which Rust does itself if it is none of the above.
function answerTo(call, args, progress) {
  if (!calls[call]) return viewer[call.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)](...args);
  return LONG.has(call) ? calls[call](progress, ...args) : calls[call](...args);
}

// The buffers of typed arrays, which are handed over instead of copied.
function buffers(value, found = []) {
  if (ArrayBuffer.isView(value)) found.push(value.buffer);
  else if (Array.isArray(value)) {
    if (typeof value[0] === 'object') for (const part of value) buffers(part, found);
  } else if (value && typeof value === 'object') for (const part of Object.values(value)) buffers(part, found);
  return found;
}

// Calls that take long, and tell how far they are.
const LONG = new Set(['open', 'find', 'statistics', 'graph', 'tree', 'save']);

onmessage = async ({ data: { id, call, args } }) => {
  try {
    const answer = await answerTo(call, args, (...progress) => postMessage({ id, progress }));
    postMessage({ id, answer }, ['frame', 'overview', 'hitsOverview', 'graphFrame'].includes(call) ? buffers(answer) : []);
  } catch (error) {
    const isMemory = error instanceof RangeError || /memory|unreachable/.test(error?.message);
    const message = isMemory ? 'the trace needs more memory than a browser gives; a native viewer can open it' : (error?.message ?? String(error));
    postMessage({ id, error: { message, offset: error?.offset } });
  }
};

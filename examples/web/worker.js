// Holds a trace, compiled Rust and nothing else. The page asks with { id, call, args } and gets { id, answer }.
import init, { Viewer } from './pkg/spall_web.js';

const PIECE = 4 << 20; // bytes that are read at once
const BY_ITSELF = -(2n ** 63n); // the offset of a file that says where it belongs

let viewer;
let opened; // the files of the viewer, their offsets, and the value of their samples that was chosen

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

const channel = new MessageChannel(), pausing = [];
channel.port1.onmessage = () => pausing.shift()();

// Lets other questions be answered first.
const pause = () => new Promise((resolve) => {
  pausing.push(resolve);
  channel.port2.postMessage(0);
});

// Goes on with a question that takes long until there is an answer, or nobody waits for it any more.
async function goOn(ticket, progress) {
  let told = performance.now();
  for (;;) {
    const until = performance.now() + 8;
    let step;
    do {
      step = viewer.go_on(ticket);
      if (step === 'superseded') return undefined;
      if ('done' in step) return step.done;
    } while (performance.now() < until);
    if (performance.now() - told > 100) {
      told = performance.now();
      progress(...step.of);
    }
    await pause();
  }
}

// What the engine answers to a question: its name, and what it is asked with.
async function ask(name, args, progress) {
  const reply = viewer.ask(args.length ? { [name]: args.length > 1 ? args : args[0] } : name);
  return typed(name, 'now' in reply ? reply.now : await goOn(reply.later, progress));
}

// Answers and parts of them that have numbers somewhere inside, which come as bytes.
const DRAWN = new Set(['frame', 'graphFrame', 'main', 'pinned', 'part', 'marks', 'wide', 'strips', 'charts', 'layers']);
const FLOATS = new Set(['edges', 'runs', 'busy', 'arrows', 'overview']), WHOLES = new Set(['numbers', 'hitsOverview']);

function typed(key, value) {
  if (FLOATS.has(key)) return new Float32Array(value.buffer);
  if (WHOLES.has(key)) return new Uint32Array(value.buffer);
  if (!DRAWN.has(key)) return value;
  if (Array.isArray(value)) return value.map((part) => typed('part', part));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, typed(name, part)]));
}

// What the worker knows besides.
const calls = {
  async open(progress, files, offsets, value) {
    await load(files, progress, offsets, value);
    return ask('about', [], progress);
  },
  async frame(progress, wanted) {
    const began = performance.now();
    const frame = await ask('frame', [wanted], progress);
    frame.queryMs = performance.now() - began;
    return frame;
  },
  details: (progress, { at = 0, ...element }) => ask('details', [element, at]),
  graph: (progress, place, { area, ...wanted }) => ask('graph', [place, area, wanted], progress),
  // All calls of a file, by a value of its samples.
  async tree(progress, file, value) {
    await load([file], progress, undefined, value);
    return ask('tree', [], () => progress(file.size, 'Adding up …'));
  },
  // What is damaged, with its bytes and times. Those of several files are not told apart.
  async damage() {
    const { files, offsets } = opened;
    const found = files.length > 1 ? [] : (await ask('damage', [])).sort(([, a], [, b]) => a - b);
    if (!found.length) return [];
    const [, [read]] = inputs(files, offsets, () => {});
    const times = (await extra()).times(read, Float64Array.from(found, ([, byte]) => byte));
    return found.map(([text, byte], at) => ({ text, byte, at: times[at] === BY_ITSELF ? undefined : viewer.at(times[at]) }));
  },
  // The page that `spall render` writes of the same files.
  async save(progress, title) {
    return (await extra()).page(title, ...inputs(opened.files, opened.offsets, progress), opened.value);
  },
};

// The buffers of typed arrays, which are handed over instead of copied.
function buffers(value, found = []) {
  if (ArrayBuffer.isView(value)) found.push(value.buffer);
  else if (Array.isArray(value)) {
    if (typeof value[0] === 'object') for (const part of value) buffers(part, found);
  } else if (value && typeof value === 'object') for (const part of Object.values(value)) buffers(part, found);
  return found;
}

onmessage = async ({ data: { id, call, args } }) => {
  const progress = (...progress) => postMessage({ id, progress });
  try {
    const answer = calls[call] ? await calls[call](progress, ...args) : await ask(call, args, progress);
    postMessage({ id, answer }, ['frame', 'overview', 'hitsOverview', 'graphFrame'].includes(call) ? buffers(answer) : []);
  } catch (error) {
    const isMemory = error instanceof RangeError || /memory|unreachable/.test(error?.message);
    const message = isMemory ? 'the trace needs more memory than a browser gives; a native viewer can open it' : (error?.message ?? String(error));
    postMessage({ id, error: { message, offset: error?.offset } });
  }
};

// Holds a trace, compiled Rust and nothing else. The page asks with { id, call, args } and gets { id, answer }.
import init, { Viewer } from './pkg/spall_web.js';

let viewer, summing;

// Returns bytes of a file to Rust, and tells the page how far it is.
function reader(file, tell) {
  const reader = new FileReaderSync();
  let told = 0;
  return (from, to) => {
    const bytes = new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
    if (performance.now() - told > 50 || to >= file.size) {
      told = performance.now();
      tell(Math.min(to, file.size), to >= file.size ? 'Laying out …' : undefined);
    }
    return bytes;
  };
}

const calls = {
  async open(file) {
    await init({ module_or_path: new URL('./pkg/spall_web_bg.wasm', import.meta.url) });
    viewer = new Viewer(reader(file, (...progress) => postMessage({ progress })));
    return viewer.about();
  },
  compare: (file) => viewer.compare(reader(file, () => {})),
  arrange: (choice) => viewer.arrange(choice),
  frame(wanted) {
    const began = performance.now();
    const frame = viewer.frame(wanted);
    frame.queryMs = performance.now() - began;
    return frame;
  },
  overview: (...range) => viewer.overview(...range),
  details: (element) => viewer.details(element),
  place: (slice) => viewer.place(slice),
  step: (slice, how) => viewer.step(slice, how),
  snap: (...place) => viewer.snap(...place),
  hits: (...place) => viewer.hits(...place),
  hitsOverview: (...range) => viewer.hits_overview(...range),
  findName: (slice) => viewer.find_name(slice),

  // A text, or a regular expression between slashes. It is looked for in names, tracks and arguments.
  find(text) {
    if (text === undefined) return viewer.find_nothing();
    const [, pattern] = text.match(/^\/(.+)\/$/) ?? [];
    const wanted = text.toLowerCase();
    try {
      const expression = pattern && new RegExp(pattern, 'iu');
      return viewer.find(expression ? (name) => expression.test(name) : (name) => name.toLowerCase().includes(wanted), true);
    } catch (error) {
      return { error: error.message };
    }
  },

  // Step by step, so that other questions are answered in between. The last question wins.
  async statistics(area, by) {
    const number = (summing = (summing ?? 0) + 1);
    if (by === 'function') return viewer.statistics_by_function(area);
    viewer.begin_statistics(area);
    while (!viewer.step_statistics(200_000)) {
      await new Promise((resolve) => { setTimeout(resolve); });
      if (number !== summing) return [];
    }
    return viewer.statistics();
  },

  graph: (place, wanted) => viewer.graph(place, wanted),
  graphFrame: (...wanted) => viewer.graph_frame(...wanted),
  graphBox: (place, node) => viewer.graph_box(place, node),
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
  try {
    const answer = await calls[call](...args);
    postMessage({ id, answer }, ['frame', 'overview', 'hitsOverview', 'graphFrame'].includes(call) ? buffers(answer) : []);
  } catch (error) {
    const isMemory = error instanceof RangeError || /memory|unreachable/.test(error?.message);
    const message = isMemory ? 'the trace needs more memory than a browser gives; a native viewer can open it' : (error?.message ?? String(error));
    postMessage({ id, error: { message, offset: error?.offset } });
  }
};

// A source that asks a worker, which has the trace and the library.

// Starts a worker. Aborting the signal ends it.
function start(signal) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let last = 0;
  // What was asked of a trace that is closed is of interest to nobody.
  const close = () => {
    worker.terminate();
    waiting.clear();
  };
  signal.addEventListener('abort', () => {
    for (const { reject } of waiting.values()) reject(new Error('the trace was closed'));
    close();
  });
  worker.onmessage = ({ data: { id, progress, answer, error } }) => {
    const { resolve, reject, tell } = waiting.get(id) ?? {};
    if (progress) return tell?.(...progress);
    waiting.delete(id);
    if (error) reject?.(Object.assign(new Error(error.message), error));
    else resolve?.(answer);
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the worker ended'));
  };
  // A function behind the arguments is told how far a long call is: what was looked at, and what that is.
  const ask = (call, ...args) => new Promise((resolve, reject) => {
    const id = ++last;
    const tell = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    waiting.set(id, { resolve, reject, tell });
    worker.postMessage({ id, call, args });
  });
  return { ask, close };
}

// Loads files, several on one axis of time, with one value of their samples.
export async function open(files, progress, signal, offsets, value) {
  const { ask, close } = start(signal);
  try {
    const about = await ask('open', files, offsets, value, progress);
    return { source: sourceOf(ask, close, about.value), about };
  } catch (error) {
    close();
    throw error;
  }
}

function sourceOf(ask, close, value) {
  const source = { close };
  const calls = ['act', 'apply', 'categories', 'frame', 'overview', 'details', 'place', 'step', 'snap', 'find', 'findName', 'hits', 'hitsOverview', 'statistics', 'longest', 'cancelStatistics', 'graph', 'cancelGraph', 'graphFrame', 'graphBox', 'save', 'damage'];
  for (const call of calls) source[call] = (...args) => ask(call, ...args);
  source.statistics.byFunction = true;
  source.hasMeasures = true;
  // The other trace is loaded and added up by a worker of its own, of which only its call tree is left.
  source.compare = async (file, progress, signal) => {
    const other = start(signal);
    try {
      const tree = await other.ask('tree', file, value, progress);
      await ask('compare', tree);
    } finally {
      other.close();
    }
  };
  return source;
}

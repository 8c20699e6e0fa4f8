// A wire to a worker, which has the trace and the library.
import { answered, sourceOf } from './source.js';
import { save } from './save.js';

// Where the worker is, and the compiled library if the worker does not know it. A saved page has both in itself.
export const parts = { worker: undefined, wasm: undefined };

// Starts a worker. Aborting the signal ends it.
function start(signal) {
  // Written like this, bundlers find the worker.
  const worker = parts.worker ? new Worker(parts.worker, { type: 'module' }) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let last = 0, ended;
  const end = (message) => {
    ended = new Error(message);
    worker.terminate();
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const close = () => end('the trace was closed');
  signal?.addEventListener('abort', close);
  worker.onmessage = ({ data: { id, message, files } }) => waiting.get(id)?.take(message, files);
  worker.onerror = (event) => end(event.message || 'the worker that holds the trace has ended; open the trace again');
  const send = (what, take) => new Promise((_, reject) => {
    if (ended) return reject(ended);
    const id = ++last;
    waiting.set(id, { take, reject });
    worker.postMessage({ id, ...what });
  });
  const ask = (question, take) => send({ question }, take);
  // Loads files, and tells how far that is. Returns the files without brotli, which a saved page cannot read.
  const load = async (files, offsets, value, tell) => {
    let read = files;
    await answered((_, take) => send({ open: { files, offsets, value, wasm: parts.wasm } }, (message, unpacked) => {
      read = unpacked ?? read;
      take(message);
    }), undefined, tell);
    return read;
  };
  return { ask, load, close };
}

// Loads files, several on one axis of time, with one value of their samples.
export async function open(files, progress, signal, offsets, value) {
  const { ask, load, close } = start(signal);
  try {
    const content = await load(files, offsets, value, progress);
    const source = sourceOf({ ask, close, save: (place) => save(content, place) });
    // The other trace is loaded and added up by a worker of its own, of which only its call tree is left.
    const { compare } = source;
    source.compare = async (file, progress, signal) => {
      const other = start(signal);
      try {
        await other.load([file], undefined, value, progress);
        await compare(await answered(other.ask, 'tree', () => progress(file.size, 'Adding up …')));
      } finally {
        other.close();
      }
    };
    return { source, about: await source.about() };
  } catch (error) {
    close();
    throw error;
  }
}

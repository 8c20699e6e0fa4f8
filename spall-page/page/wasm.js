// A wire to a worker, which has the trace and the library.
import { answered, sourceOf } from './source.js';
import { save } from './save.js';

/**
 * Where the worker is, and the compiled library if the worker does not know it. A saved page has both in itself.
 * @type {{ worker: string | undefined, wasm: ArrayBuffer | undefined }}
 */
export const parts = { worker: undefined, wasm: undefined };

/**
 * Starts a worker. Aborting the signal ends it.
 * @param {AbortSignal=} signal
 */
function start(signal) {
  // Written like this, bundlers find the worker.
  const worker = parts.worker ? new Worker(parts.worker, { type: 'module' }) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  /** @type {Map<number, { take: (message: Uint8Array, files?: File[]) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let last = 0;
  /** @type {Error | undefined} */
  let ended;
  /** @param {string} message */
  const end = (message) => {
    const error = (ended = new Error(message));
    worker.terminate();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const close = () => end('the trace was closed');
  signal?.addEventListener('abort', close);
  worker.onmessage = ({ data: { id, message, files } }) => waiting.get(id)?.take(message, files);
  worker.onerror = (event) => end(event.message || 'the worker that holds the trace has ended; open the trace again');
  /**
   * @param {object} what
   * @param {(message: Uint8Array, files?: File[]) => void} take
   */
  const send = (what, take) => new Promise((_, reject) => {
    if (ended) return reject(ended);
    const id = ++last;
    waiting.set(id, { take, reject });
    worker.postMessage({ id, ...what });
  });
  /** @type {import('./source.js').Ask} */
  const ask = (question, take) => send({ question }, take);
  /**
   * Loads files, and tells how far that is. Returns the files without brotli, which a saved page cannot read.
   * @param {File[]} files
   * @param {(bigint | undefined)[] | undefined} offsets
   * @param {string | undefined} value
   * @param {import('./page.js').Progress} tell
   */
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
/** @type {import('./page.js').Load} */
export const open = async (opened, progress, signal, offsets, value) => {
  const files = opened.filter((file) => file instanceof File); // a worker has no others
  const { ask, load, close } = start(signal);
  try {
    const content = await load(files, offsets, value, progress);
    // The other trace is loaded and added up by a worker of its own, of which only its call tree is left.
    /** @type {import('./page.js').Source['compareWith']} */
    const compareWith = async (file, progress, signal) => {
      const other = start(signal);
      try {
        await other.load([file], undefined, value, progress);
        await source.compare(await answered(other.ask, 'tree', () => progress(file.size, 'Adding up …')));
      } finally {
        other.close();
      }
    };
    /** @param {import('./engine.js').Place} place */
    const saved = (place) => save(content, place);
    const source = sourceOf({ ask, close, compareWith, save: saved });
    return { source, about: await source.about() };
  } catch (error) {
    close();
    throw error;
  }
};

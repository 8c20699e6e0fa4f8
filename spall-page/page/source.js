// A source answers what there is to know about a trace, each question by a function of its name. It asks an engine by a
// wire: a worker (`wasm.js`), a server (`http.js`), a notebook (`widget.js`). All answers are promises. A function behind the
// arguments is told how far a long question is: how many of something were looked at, and what that is.
import { decode, encode } from './msgpack.js';

const QUESTIONS = /** @type {const} */ ([
  'about', 'act', 'apply', 'cancelGraph', 'cancelStatistics', 'categories', 'compare', 'damage', 'details', 'find', 'findName', 'frame',
  'graph', 'graphBox', 'graphFrame', 'hits', 'hitsOverview', 'longest', 'news', 'overview', 'place', 'snap', 'statistics', 'step', 'tree',
]);

// The kinds of messages, as the engine numbers them.
export const ANSWER = 0, LATER = 1, PROGRESS = 2, SUPERSEDED = 3, ERROR = 4;

export function messageOf(kind, value) {
  return Uint8Array.of(kind, ...encode(value));
}

// A source of a wire. The wire has `ask(question, take)`, which sends a question and hands each message of its answer to
// `take`, and says by a promise that is rejected if none comes any more; and what else the source has, such as `close`.
export function sourceOf({ ask, ...more }) {
  const source = { ...more };
  for (const name of QUESTIONS) source[name] = (...args) => {
    const tell = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    return answered(ask, args.length ? { [name]: args.length > 1 ? args : (args[0] ?? null) } : name, tell);
  };
  const { details, graph } = source;
  source.details = ({ at = 0, kind, id }) => details({ kind, id }, at);
  source.graph = (place, { area, ...wanted }, ...tell) => graph(place, area, wanted, ...tell);
  return source;
}

// The answer to a question.
export function answered(ask, question, tell) {
  return new Promise((resolve, reject) => {
    const take = (message) => {
      const kind = message[0];
      if (kind === SUPERSEDED) return resolve(undefined);
      const value = decode(message.subarray(1));
      if (kind === PROGRESS) tell?.(...value);
      else if (kind === ANSWER) resolve(value);
      else reject(Object.assign(new Error(value.message), value));
    };
    ask(encode(question), take).catch(reject);
  });
}

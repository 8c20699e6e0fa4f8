// A source answers what there is to know about a trace, each question by a function of its name. It asks an engine by a
// wire: a worker (`wasm.js`), a server (`http.js`), a notebook (`widget.js`). All answers are promises. A function behind the
// arguments is told how far a long question is: how many of something were looked at, and what that is.
import { decode, encode } from './msgpack.js';

/**
 * @typedef {import('./engine.js').Asking} Asking
 * @typedef {import('./engine.js').Questions} Questions
 * @typedef {(message: Uint8Array) => void} Take what is called with each message of an answer
 * @typedef {(question: Uint8Array<ArrayBuffer>, take: Take) => Promise<unknown>} Ask
 */

// How many arguments each question has.
/** @type {{ [Q in keyof Questions]: Questions[Q]['length'] }} */
const QUESTIONS = {
  about: 0, act: 2, apply: 2, beside: 1, cancelGraph: 0, cancelList: 0, cancelStatistics: 0, categories: 0, compare: 1, damage: 0, details: 2, durations: 1, entries: 3,
  find: 1, findName: 1, frame: 1, gaps: 1, graph: 3, graphBox: 2, graphFrame: 6, hits: 2, hitsOverview: 3, list: 1, listText: 4, longest: 2, marks: 1, news: 1, overview: 3, path: 1, place: 1, snap: 4,
  statistics: 3, step: 2, tree: 0, treeRows: 4, treeText: 5,
};

// The kinds of messages, as the engine numbers them.
export const ANSWER = 0, LATER = 1, PROGRESS = 2, SUPERSEDED = 3, ERROR = 4;

/**
 * @param {number} kind
 * @param {unknown} value
 */
export function messageOf(kind, value) {
  return Uint8Array.of(kind, ...encode(value));
}

/**
 * A source of a wire. The wire has `ask`, which sends a question and hands each message of its answer to `take`, and says by a
 * promise that is rejected if none comes any more; and what else the source has, such as `close`.
 * @template {object} More
 * @param {{ ask: Ask } & More} wire
 */
export function sourceOf({ ask, ...more }) {
  const functions = Object.entries(QUESTIONS).map(([name, count]) => [name, (/** @type {unknown[]} */ ...args) => {
    const values = Array.from({ length: count }, (_, at) => args[at]);
    return answered(ask, count ? { [name]: count > 1 ? values : values[0] } : name, /** @type {import('./engine.js').Tell | undefined} */ (args[count]));
  }]);
  return /** @type {Asking & Omit<More, 'ask'>} */ ({ ...more, ...Object.fromEntries(functions) });
}

/**
 * The answer to a question.
 * @param {Ask} ask
 * @param {unknown} question
 * @param {((...how: any[]) => void)=} tell
 * @returns {Promise<any>}
 */
export function answered(ask, question, tell) {
  return new Promise((resolve, reject) => {
    /** @type {Take} */
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

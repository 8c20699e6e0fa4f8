import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANSWER, ERROR, PROGRESS, SUPERSEDED, messageOf, sourceOf } from '../../../../spall-page/page/source.js';
import { decode } from '../../../../spall-page/page/msgpack.js';

// A source whose wire answers each question with these messages, and the questions that it was asked.
function sourceWith(...messages) {
  const asked = [];
  const ask = async (question, take) => {
    asked.push(decode(question));
    for (const message of messages) take(message);
  };
  return [sourceOf({ ask, close: () => 'closed' }), asked];
}

test('a question is its name, or its name and what is asked', async () => {
  const [source, asked] = sourceWith(messageOf(ANSWER, undefined));
  await source.about();
  await source.place(3);
  await source.find(undefined);
  await source.step(1, 'next');
  await source.hits(0, 9);
  assert.deepEqual(asked, ['about', { place: 3 }, { find: undefined }, { step: [1, 'next'] }, { hits: [0, 9] }]);
  assert.equal(source.close(), 'closed');
});

test('a function behind the arguments is told how far a question is, and is not asked', async () => {
  const told = [], [source, asked] = sourceWith(messageOf(PROGRESS, [5, 'slices']), messageOf(PROGRESS, [9, 'slices']), messageOf(ANSWER, { slices: 1 }));
  assert.deepEqual(await source.find('a', (...how) => told.push(how)), { slices: 1 });
  assert.deepEqual([told, asked], [[[5, 'slices'], [9, 'slices']], [{ find: 'a' }]]);
});

test('a question that is superseded has no answer', async () => {
  const [source] = sourceWith(messageOf(SUPERSEDED, undefined));
  assert.equal(await source.tree(), undefined);
});

test('an error has its sentence and its place', async () => {
  const [source] = sourceWith(messageOf(ERROR, { message: 'cut short', offset: 7 }));
  await assert.rejects(source.about(), (error) => error instanceof Error && error.message === 'cut short' && error.offset === 7);
});

test('a wire that breaks rejects what was asked, and so does an answer that cannot be read', async () => {
  await assert.rejects(sourceOf({ ask: async () => { throw new Error('lost'); } }).about(), /lost/);
  const [source] = sourceWith(Uint8Array.of(ANSWER, 0xc1));
  await assert.rejects(source.about(), /begins no value/);
});

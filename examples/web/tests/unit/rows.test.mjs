import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rows, written } from '../../../../spall-page/page/ui/rows.js';

test('rows are asked for once, in pieces', async () => {
  const asked = [], arrived = [];
  const rows = new Rows(async (from, count) => {
    asked.push(from);
    return Array.from({ length: count }, (_, at) => from + at);
  }, ([first]) => arrived.push(first));
  assert.equal(rows.at(450), undefined);
  assert.equal(rows.at(451), undefined);
  await Promise.resolve().then(() => {}).then(() => {});
  assert.deepEqual([asked, arrived, rows.at(450), rows.at(599)], [[400], [400], 450, 599]);
  for (let at = 0; at < 100 * 200; at += 200) await rows.load(at);
  assert.equal(rows.pieces.size, 50, 'those that were asked for last are kept');
  assert.equal(rows.at(19_999), 19_999);
});

test('all rows are written in parts, until it is given up', async () => {
  const ends = new AbortController(), told = [];
  const ask = async (from, count) => `${from}+${count} `;
  assert.deepEqual(await written(12_000, ask, ends.signal, (done) => told.push(done)), ['0+5000 ', '5000+5000 ', '10000+5000 ']);
  assert.deepEqual(told, [5000, 10_000, 12_000]);
  assert.deepEqual(await written(0, ask, ends.signal, () => {}), ['0+5000 '], 'the headings alone');
  assert.equal(await written(9, async () => undefined, ends.signal, () => {}), undefined, 'another list has come');
  assert.equal(await written(12_000, ask, ends.signal, () => ends.abort()), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

Object.assign(globalThis, { matchMedia: () => ({ matches: false }) }); // which no browser has asked
const { rowsIn, scrolledTo } = await import('../../../../spall-page/page/ui/list.js');

test('the rows of a short list are where they scroll to', () => {
  const { height, from, until, top } = rowsIn(1000, 2400, 240, 24);
  assert.deepEqual([height, from, until, top(100)], [24000, 95, 115, 2400]);
});

test('the first and the last of a million rows come into sight', () => {
  const count = 1e6, room = 240, row = 24, most = 8e6;
  const first = rowsIn(count, 0, room, row, most);
  assert.deepEqual([first.height, first.from, first.top(0)], [most, 0, 0]);
  const last = rowsIn(count, most - room, room, row, most);
  assert.equal(last.until, count);
  assert.ok(Math.abs(last.top(count - 1) + row - most) < 1e-3);
});

test('a list is scrolled so that a row is in the middle of what is in sight', () => {
  for (const [count, most] of [[1000, 8e6], [1e6, 8e6]]) {
    for (const at of [0, 7, count / 2, count - 1]) {
      const above = scrolledTo(count, at, 240, 24, most), { top } = rowsIn(count, above, 240, 24, most);
      const y = top(at) - above;
      assert.ok(y > -1e-3 && y + 24 < 240 + 1e-3, `${at} of ${count} at ${y}`);
      if (at === count / 2) assert.ok(Math.abs(y + 12 - 120) < 1e-3);
    }
  }
});

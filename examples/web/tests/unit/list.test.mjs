import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.matchMedia = () => ({ matches: false }); // a row is as high as for a mouse
const { inSight } = await import('../../../../spall-page/page/ui/list.js');

test('the rows in sight of a short list are at their places', () => {
  assert.deepEqual(inSight(3, 0, 500), { from: 0, until: 3, shift: 0, scrolled: 0, faster: 1, shown: 72 });
  assert.deepEqual(inSight(0, 0, 500), { from: 0, until: 0, shift: 0, scrolled: 0, faster: 1, shown: 0 });
  const { from, until, shift } = inSight(1000, 2400, 240);
  assert.deepEqual([from, until, shift], [95, 115, 0]);
  assert.equal(inSight(1000, -30, 240).from, 0, 'what stands above it is in sight');
});

test('of a list that would be too high every row comes into sight, and the last one at the end', () => {
  const count = 1_000_000, visible = 300, highest = 100_000;
  const seen = (above) => inSight(count, above, visible, 24, highest);
  const { shown } = seen(0);
  assert.equal(shown, highest);
  for (const above of [0, 1, 777, 50_000, shown - visible]) {
    const { from, until, shift, scrolled } = seen(above);
    assert.ok(from * 24 + shift <= above && until * 24 + shift >= Math.min(above + visible, shown) - 1e-6, `the rows cover what is in sight at ${above}`);
    assert.ok(Math.abs(scrolled + shift - above) < 1e-6);
  }
  assert.equal(seen(shown - visible).until, count);
  assert.ok(Math.abs(seen(shown - visible).scrolled - (count * 24 - visible)) < 1e-3);
});

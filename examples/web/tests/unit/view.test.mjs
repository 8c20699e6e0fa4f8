import assert from 'node:assert/strict';
import { test } from 'node:test';
import { View } from '../../../../spall-page/page/ui/view.js';

const view = () => new View({ start: -100, end: 900, durations: [1, 2000] });

test('the time under the pointer stays there while one zooms', () => {
  for (const at of [0, 0.3, 1]) {
    const seen = view(), fixed = seen.start + at * seen.duration;
    seen.zoom(0.25, at);
    assert.equal(seen.duration, 250);
    assert.ok(Math.abs(seen.start + at * seen.duration - fixed) < 1e-9);
  }
});

test('a window is as long as the engine allows, and its middle stays in the trace', () => {
  const seen = view();
  seen.zoom(1e-9);
  assert.equal(seen.duration, 1);
  seen.zoom(1e12);
  assert.equal(seen.duration, 2000);
  seen.pan(100);
  assert.equal(seen.start + seen.duration / 2, 900);
  seen.pan(-100);
  assert.equal(seen.start + seen.duration / 2, -100);
});

test('at the limit of a zoom nothing moves', () => {
  const seen = view();
  seen.look(100, 1);
  seen.zoom(0.5, 0.9);
  assert.deepEqual([seen.start, seen.duration], [100, 1]);
});

test('many small moves lead to the same place as a large one', () => {
  const [small, large] = [view(), view()];
  for (let step = 0; step < 100; step++) small.pan(0.001);
  large.pan(0.1);
  assert.ok(Math.abs(small.start - large.start) < 1e-9);
});

test('what has moved since a question stays, unless the answer shows something else', () => {
  const seen = view(), before = seen.range;
  assert.ok(!seen.isMoved);
  seen.look(0, 100);
  assert.ok(seen.isMoved);
  seen.take(before, before);
  assert.deepEqual([seen.range, seen.isMoved], [{ start: 0, end: 100 }, true], 'the engine was asked before');
  seen.take({ start: 0, end: 100 }, seen.range);
  assert.ok(!seen.isMoved, 'the engine knows it');
  seen.look(7, 100);
  seen.take({ start: 300, end: 400 }, { start: 0, end: 100 });
  assert.deepEqual([seen.range, seen.isMoved], [{ start: 300, end: 400 }, false]);
  seen.look(300.25, 100);
  assert.ok(!seen.isMoved, 'a part of a tick is no move to the engine');
});

test('in a trace that grows, what has moved by itself stays', () => {
  const seen = view();
  seen.reach({ start: -100, end: 1900, durations: [1, 4000] });
  seen.follow({ start: -100, end: 1900 });
  assert.deepEqual([seen.range, seen.isMoved], [{ start: -100, end: 1900 }, false]);
  seen.zoom(0.5);
  const moved = seen.range;
  seen.follow({ start: -100, end: 2900 });
  assert.deepEqual([seen.range, seen.isMoved], [moved, true]);
});

test('what is in view is at least a whole tick', () => {
  const seen = view();
  seen.look(10.4, 1);
  assert.deepEqual(seen.range, { start: 10, end: 11 });
});

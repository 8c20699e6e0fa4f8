import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arranged } from '../../../../spall-page/page/ui/place.js';

const item = (kind, id) => ({ kind, id });
const member = (id, label, path = `p/${label}`) => ({ item: item('track', id), path, label, detail: String(id), what: 'thread', busy: 0, empty: false });
const groups = [
  { item: undefined, path: '', label: 'Whole trace', detail: '', members: [member(9, 'all', 'Whole trace/all')] },
  { item: item('process', 1), path: 'p', label: 'p', detail: '1', members: [member(1, 'a'), member(2, 'same'), member(3, 'same', 'p/same#2')] },
  { item: item('process', 2), path: 'q', label: 'q\n', detail: '2', members: [member(4, 'b', 'q/b')] },
];
const arranged = () => new Arranged({ groups, folded: [item('track', 2)] });
const header = (of, top, bottom) => ({ item: of, top, height: 10, bottom });
const main = { height: 100, headers: [header(item('process', 1), 0, 10), header(item('track', 1), 10, 30), header(item('track', 2), 30, 50), header(item('track', 3), 50, 60), header(item('process', 2), 60, 70), header(item('track', 4), 70, 100)] };
const changed = (place) => ({ place, groups, main, pinned: { height: 0, headers: [] }, flow: 0, hit: undefined });

test('items have a path, and names that occur twice are known', () => {
  const { labels, pathOf, key } = arranged();
  assert.equal(pathOf(item('track', 3)), 'p/same#2');
  assert.equal(pathOf(item('pack', 7)), '', 'what is not there has none');
  assert.deepEqual([1, 2, 3].map((id) => labels.get(key(item('track', id))).isRepeated), [false, true, true]);
  assert.equal(labels.get('process:2').label, 'q␊');
});

test('what is very high is folded until the place says what is', () => {
  const all = arranged();
  all.take(changed({}));
  assert.ok(all.isIn('folded', item('track', 2)));
  all.take(changed({ folded: ['p'] }));
  assert.deepEqual([item('track', 2), item('process', 1)].map((one) => all.isIn('folded', one)), [false, true]);
});

test('what an answer leaves out is as nobody has set it', () => {
  const all = arranged();
  all.take(changed({ hidden: ['p'], range: { start: 1, end: 2, items: ['p/a', 'gone'] } }));
  assert.deepEqual(all.range, { start: 1, end: 2, items: [item('track', 1)] });
  assert.ok(all.rangeKeys.has('track:1') && all.isIn('hidden', item('process', 1)));
  all.take(changed({}));
  assert.deepEqual([all.place.hidden, all.place.marks, all.range, all.rangeKeys.size], [[], [], undefined, 0]);
});

test('a range is whole ticks and paths in the place', () => {
  assert.deepEqual(arranged().chosen({ start: 0.4, end: 9.6, items: [item('track', 1), item('pack', 7)] }), { start: 0, end: 10, items: ['p/a'] });
  assert.equal(arranged().chosen(undefined), undefined);
});

test('a track is dropped among those of its process, a process among processes', () => {
  const all = arranged();
  all.take(changed({}));
  const track = (height) => all.dropAt(item('track', 1), height);
  assert.deepEqual([track(12).stays, track(22).stays], [true, true], 'where it is');
  assert.deepEqual(track(45), { before: item('track', 3), stays: false, edge: 50 });
  assert.deepEqual(track(99), { before: undefined, stays: false, edge: 60 }, 'not in another process');
  assert.deepEqual(all.dropAt(item('process', 2), 5), { before: item('process', 1), stays: false, edge: 0 });
});

test('a derived track has a name as soon as the engine says one', () => {
  const all = arranged(), derived = { ...member(0, 'CPUs', '=CPUs'), item: item('derived', 0), what: 'derived' };
  all.take({ ...changed({ derived: ['cpus'], folded: ['=CPUs'] }), groups: [{ item: undefined, path: '', label: 'Derived tracks', detail: '', members: [derived] }, ...groups] });
  assert.equal(all.labels.get('derived:0').label, 'CPUs');
  assert.ok(all.isIn('folded', item('derived', 0)));
});

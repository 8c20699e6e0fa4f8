import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromAddress, kept, rangeOf, toAddress, withoutPlace } from '../../../../spall-page/page/ui/address.js';

const FULL = {
  view: { start: -5, end: 95 }, follows: true, top: 12, selected: { element: { kind: 'counter', id: 3 }, at: -7, name: 'a b&c' },
  range: { start: -1, end: 8, items: ['p/a', 'p/b=c'] }, marks: [{ at: 4, text: 'here\nand there' }, { at: -2, text: '' }, { at: -9, end: -3, text: '' }, { at: 5, end: 9, of: { element: { kind: 'slice', id: 7 }, at: 5, name: 'a b' }, text: 'slow\tagain' }, { at: 5, of: { element: { kind: 'instant', id: 7 }, at: 5, name: '' }, text: '' }], search: '/a+b/', panel: 'calls flame',
  measure: 'count', tracks: 'all', value: 'before', files: [{ name: 'a file.json', offset: '-9223372036854775808' }, { name: 'b' }],
  folded: ['p', 'q#2'], hidden: ['p/x'], pinned: ['p/y'], rates: ['p/r'], shared: ['p/r', 'p/s'], categories: ['', 'c,d'], names: ['n'], byActivity: true, linearDurations: true, colorBy: 'track', arrows: 'off', showsEmpty: true,
  sumsBy: 'function', sums: { order: 'count', isAscending: true, filter: 'a b&c' }, without: 'x y', tree: { filter: '+n' },
  slices: { of: 'a&b=c', by: 'function', found: true, inView: false, order: { arg: 'n=1 -x' }, isDescending: true, filter: '/a|b/ dur > 1 ms', keys: ['k', 'l&m'] }, instants: { of: '', inView: true, order: 'name', keys: [] }, moves: [['p/a', 'p/b'], ['p/c', undefined]],
  derived: ['cpus', { path: { element: { kind: 'slice', id: 5 }, at: -4, name: 'a\nb c' } }, { rows: { title: 'x y', leftOut: 7, rows: [{ start: -1, end: 5, name: 'n 1', slice: 3 }, { start: 2, end: 2, name: '' }] } }],
};

test('a place comes back from its address', () => {
  assert.deepEqual(fromAddress(toAddress(FULL)), FULL);
  assert.deepEqual(fromAddress(new URL(toAddress(FULL), 'http://x/').hash), FULL, 'also as a browser writes it');
});

test('nothing folded is another place than what is folded at first', () => {
  assert.deepEqual(fromAddress(toAddress({ folded: [] })).folded, []);
  assert.equal(fromAddress(toAddress({})).folded, undefined);
});

test('an address that says nothing, or nonsense, is a place with nothing', () => {
  const empty = fromAddress('');
  for (const hash of ['#', '#start=a&span=b', '#start=1e99&span=1', '#slice=x@1', '#range=5', '#mark=x', '#file=x', '#=&&&', '#%zz']) assert.deepEqual(fromAddress(hash), empty, hash);
});

test('a range is two whole numbers', () => {
  assert.deepEqual(rangeOf('-10-20'), { start: -10, end: 20 });
  assert.deepEqual(rangeOf('-20--10'), { start: -20, end: -10 });
  for (const text of ['', '1', '1-', 'a-b', '1.5-2', '1-2-3 ']) assert.equal(rangeOf(text), undefined, text);
});

test('for another trace, an address keeps the arrangement, the colours and the files', () => {
  const kept = fromAddress(withoutPlace(toAddress(FULL)));
  for (const key of ['folded', 'hidden', 'pinned', 'rates', 'shared', 'categories', 'names', 'byActivity', 'moves', 'files', 'value', 'colorBy', 'arrows', 'showsEmpty']) assert.deepEqual(kept[key], FULL[key], key);
  assert.deepEqual([kept.view, kept.selected, kept.range, kept.marks, kept.search], [undefined, undefined, undefined, [], '']);
});

test('of many rows an address has the title, and a saved page has the rows', () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({ start: at, end: at + 1, name: 'n' }));
  const address = toAddress({ derived: [{ rows: { title: 'many\trows', rows } }] });
  assert.deepEqual(fromAddress(address).derived, [{ rows: { title: 'many rows', rows: [] } }]);
  kept.set('many rows', { title: 'many rows', rows, leftOut: 2 });
  assert.deepEqual(fromAddress(address).derived, [{ rows: { title: 'many rows', rows, leftOut: 2 } }]);
  for (const text of ['', 'path x', 'row', 'cpu']) assert.deepEqual(fromAddress(`#${new URLSearchParams({ derived: text })}`).derived, [], text);
});

test('for another trace, what ran on processors stays', () => {
  assert.deepEqual(fromAddress(withoutPlace(toAddress(FULL))).derived, ['cpus']);
});

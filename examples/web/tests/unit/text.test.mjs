import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clean, counted, duration, exactly, grouped, milliseconds, moment, nanoseconds } from '../../../../spall-page/page/ui/text.js';

const plain = (text) => text.replaceAll('\u202f', ' ');

test('digits are in groups of three on both sides of the point', () => {
  assert.deepEqual([0, 999, 1000, -1234567].map((number) => plain(grouped(number))), ['0', '999', '1 000', '-1 234 567']);
  assert.equal(plain(grouped(1234.56789, 5)), '1 234.567 89');
});

test('a duration has about four digits in the largest unit of which it has one', () => {
  for (const [ticks, text] of [[0, '0 ns'], [999, '999 ns'], [1000, '1 µs'], [1_234_567, '1.235 ms'], [-12_345_678, '-12.35 ms'], [3.6e12, '3 600 s']]) assert.equal(plain(duration(ticks, 1)), text);
  assert.equal(duration(5, 1000), '5 µs');
  assert.equal(duration(2048, 'bytes'), '2.048 kB');
  assert.deepEqual([duration(1, 'samples'), duration(2, 'samples')], ['1 sample', '2 samples']);
});

test('an exact half is rounded to the even digit', () => {
  assert.deepEqual([duration(1_000_500, 1), duration(1_001_500, 1)], ['1 ms', '1.002 ms']);
});

test('a moment is said to the tick', () => {
  assert.equal(plain(moment(1_000_000_001, 1)), '1.000 000 001 s');
});

test('milliseconds by hand are exact, and nonsense is nothing', () => {
  for (const text of ['0', '1', '-1', '999999', '1000000', '-9223372036854775808']) assert.equal(String(nanoseconds(milliseconds(text))), text);
  assert.equal(nanoseconds('−1,5'), -1_500_000n);
  for (const text of ['', '-', '1.', '1.2345678', 'x', '1e3']) assert.equal(nanoseconds(text), undefined, text);
});

test('a search for a name alone finds no other name', () => {
  for (const name of ['a', 'a+b', 'f(x) -> [y]', '\\d', 'a/b', '^$']) {
    const expression = new RegExp(exactly(name).slice(1, -1));
    assert.ok(expression.test(name), name);
    assert.ok(!expression.test(`${name}x`) && !expression.test(`x${name}`), name);
  }
});

test('control characters and what turns the direction are visible', () => {
  assert.equal(clean('a\0\n\x7fb\u202e\u2066'), 'a␀␊␡b\ufffd\ufffd');
  assert.equal(clean('häß 日本'), 'häß 日本');
});

test('one thing has no ending', () => {
  assert.deepEqual([counted(1, 'process'), counted(2, 'process'), plain(counted(1000, 'slice'))], ['1 process', '2 processes', '1 000 slices']);
});

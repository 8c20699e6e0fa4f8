// Values cross as bytes of MessagePack: https://github.com/msgpack/msgpack/blob/master/spec.md
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../../../spall-page/page/msgpack.js';

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));

// Bytes as the specification has them, in the shortest forms, which are those that Rust's `rmp-serde` makes.
const KNOWN = [
  ['c0', undefined], ['c2', false], ['c3', true], ['00', 0], ['7f', 127], ['ff', -1], ['e0', -32], ['cc80', 128], ['cdffff', 65_535],
  ['ceffffffff', 4_294_967_295], ['cf001fffffffffffff', Number.MAX_SAFE_INTEGER], ['d080', -128], ['d18000', -32_768], ['d280000000', -2_147_483_648],
  ['d3ffe0000000000001', Number.MIN_SAFE_INTEGER], ['ca3fc00000', 1.5], ['cb3ff8000000000000', 1.5], ['a0', ''], ['a3c3a462', 'äb'],
  [`d920${'61'.repeat(32)}`, 'a'.repeat(32)], ['da000162', 'b'], ['db0000000163', 'c'], ['90', []], ['9201a161', [1, 'a']], ['dc000105', [5]], ['dd00000001c3', [true]],
  ['80', {}], ['82a161c0a16202', { a: undefined, b: 2 }], ['de0001a16101', { a: 1 }], ['df00000001a16101', { a: 1 }],
  ['c403010203', bytes('010203')], ['c5000109', bytes('09')], ['c60000000109', bytes('09')],
  ['d6010000803f', Float32Array.of(1)], ['d702000000000000f03f', Float64Array.of(1)], ['d8030100000002000000030000000400' + '0000', Uint32Array.of(1, 2, 3, 4)],
  ['c70c03010000000200000003000000', Uint32Array.of(1, 2, 3)], ['c8000001', new Float32Array()], ['c90000000403ffffffff', Uint32Array.of(4_294_967_295)],
];

test('every form of the specification is read', () => {
  for (const [hex, value] of KNOWN) assert.deepEqual(decode(bytes(hex)), value, hex);
});

test('what is written is read again as it was', () => {
  const values = [...KNOWN.map(([, value]) => value).filter((value) => !(value instanceof Uint8Array)), 0.1, Infinity, '\u{1F600}', 2 ** 60, [[[{}]]], { act: [{ choose: undefined }, { view: { start: -5, end: 7 } }] }];
  for (const value of values) assert.deepEqual(decode(encode(value)), value);
  assert.deepEqual(decode(encode({ a: null })), { a: undefined }, 'nothing is nothing, whichever way it is said');
});

test('a part of a larger array is written alone, and read wherever it lies', () => {
  const part = Uint32Array.of(1, 2, 3).subarray(1), written = encode(part);
  assert.deepEqual(decode(written), Uint32Array.of(2, 3));
  const shifted = new Uint8Array(written.length + 1);
  shifted.set(written, 1);
  assert.deepEqual(decode(shifted.subarray(1)), Uint32Array.of(2, 3));
});

test('a value that is cut anywhere is an error', () => {
  for (const [hex] of KNOWN) for (let end = 0; end < hex.length / 2; end++) assert.throws(() => decode(bytes(hex).subarray(0, end)), Error, `${hex} up to ${end}`);
});

test('a length that the bytes cannot have is an error before anything is made of it', () => {
  for (const hex of ['ddffffffff', 'dfffffffff', 'dbffffffff', 'c6ffffffff', 'c9fffffffc01', 'dcffff00', '9f']) assert.throws(() => decode(bytes(hex)), /cut short/, hex);
});

test('what is no value, no numbers, too deep or too much is an error', () => {
  assert.throws(() => decode(bytes('c1')), /193 begins no value/);
  assert.throws(() => decode(bytes('c70301010203')), /are no numbers/);
  assert.throws(() => decode(bytes('d40400')), /are no numbers/);
  assert.throws(() => decode(new Uint8Array(100_000).fill(0x91)), /too deep/);
  assert.throws(() => decode(bytes('c0c0')), /1 bytes lie behind/);
});

test('any bytes are a value or an error, soon', () => {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  for (let round = 0; round < 20_000; round++) {
    const some = Uint8Array.from({ length: random() % 40 }, random);
    try { decode(some); } catch (error) { assert.ok(error instanceof Error); }
  }
});

test('a key of an object cannot change what objects are', () => {
  const made = decode(encode(Object.fromEntries([['__proto__', 1]])));
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
  assert.deepEqual(Object.keys(made), ['__proto__']);
});

test('what has no place in a question is refused', () => {
  for (const value of [() => {}, Symbol('a'), 5n, new Uint8Array(2)]) assert.throws(() => encode(value), /has no place/);
});

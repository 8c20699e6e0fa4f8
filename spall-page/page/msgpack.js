// Values as bytes of MessagePack, in which questions and answers cross to an engine. An array of numbers of one kind is an
// extension, and what is absent is nil.

const NUMBERS = [Float32Array, Float64Array, Uint32Array]; // the extensions 1, 2 and 3
const DEEPEST = 100; // lists and objects in each other

/**
 * The value of some bytes. Bytes that are no whole value, or more than one, are an error.
 * @param {Uint8Array} bytes
 * @returns {any}
 */
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), text = new TextDecoder();
  let at = 0, depth = 0;
  /** @param {number} length */
  const take = (length) => {
    if (length > bytes.length - at) throw new Error(`the value is cut short at byte ${bytes.length}`);
    return bytes.subarray(at, (at += length));
  };
  /**
   * @param {'getUint8' | 'getUint16' | 'getUint32' | 'getInt8' | 'getInt16' | 'getInt32' | 'getFloat32' | 'getFloat64' | 'getBigUint64' | 'getBigInt64'} get
   * @param {number} length
   */
  const number = (get, length) => {
    const from = at;
    take(length);
    return Number(view[get](from));
  };
  /** @param {number} length */
  const size = (length) => number(length === 1 ? 'getUint8' : length === 2 ? 'getUint16' : 'getUint32', length);
  /**
   * What has parts, each of which takes a byte or more.
   * @template Made
   * @param {number} count
   * @param {(count: number) => Made} make
   */
  const parts = (count, make) => {
    if (count > bytes.length - at) throw new Error(`the value is cut short at byte ${bytes.length}`);
    if (++depth > DEEPEST) throw new Error('the value is too deep');
    const made = make(count);
    depth--;
    return made;
  };
  /** @param {number} count */
  const list = (count) => parts(count, (length) => Array.from({ length }, value));
  /** @param {number} count */
  const object = (count) => parts(count, (length) => Object.fromEntries(Array.from({ length }, () => [value(), value()])));
  /** @param {number} length */
  const extension = (length) => {
    const kind = number('getInt8', 1), Numbers = NUMBERS[kind - 1];
    if (!Numbers || length % Numbers.BYTES_PER_ELEMENT) throw new Error(`${length} bytes of the extension ${kind} are no numbers`);
    return new Numbers(take(length).slice().buffer); // a copy is where numbers may be
  };
  /** @returns {any} */
  function value() {
    const code = number('getUint8', 1);
    if (code < 0x80) return code;
    if (code < 0x90) return object(code & 15);
    if (code < 0xa0) return list(code & 15);
    if (code < 0xc0) return text.decode(take(code & 31));
    if (code >= 0xe0) return code - 256;
    switch (code) {
      case 0xc0: return undefined;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return take(size(1 << (code - 0xc4))).slice();
      case 0xc7: case 0xc8: case 0xc9: return extension(size(1 << (code - 0xc7)));
      case 0xca: return number('getFloat32', 4);
      case 0xcb: return number('getFloat64', 8);
      case 0xcc: return number('getUint8', 1);
      case 0xcd: return number('getUint16', 2);
      case 0xce: return number('getUint32', 4);
      case 0xcf: return number('getBigUint64', 8);
      case 0xd0: return number('getInt8', 1);
      case 0xd1: return number('getInt16', 2);
      case 0xd2: return number('getInt32', 4);
      case 0xd3: return number('getBigInt64', 8);
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return extension(1 << (code - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return text.decode(take(size(1 << (code - 0xd9))));
      case 0xdc: case 0xdd: return list(size(2 << (code - 0xdc)));
      case 0xde: case 0xdf: return object(size(2 << (code - 0xde)));
      default: throw new Error(`${code} begins no value`);
    }
  }
  const whole = value();
  if (at < bytes.length) throw new Error(`${bytes.length - at} bytes lie behind the value`);
  return whole;
}

/**
 * @param {unknown} value
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function encode(value) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const text = new TextEncoder();
  /**
   * @param {number} code
   * @param {(view: DataView) => void=} set
   * @param {number=} length
   */
  const head = (code, set, length = 4) => {
    const part = new Uint8Array(set ? 1 + length : 1);
    part[0] = code;
    set?.(new DataView(part.buffer, 1));
    parts.push(part);
  };
  /**
   * @param {number} code
   * @param {number} size
   */
  const sized = (code, size) => head(code, (view) => view.setUint32(0, size));
  /** @param {unknown} value */
  const put = (value) => {
    if (value === undefined || value === null) head(0xc0);
    else if (typeof value === 'boolean') head(value ? 0xc3 : 0xc2);
    else if (typeof value === 'string') {
      const bytes = text.encode(value);
      sized(0xdb, bytes.length);
      parts.push(bytes);
    } else if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) head(0xd3, (view) => view.setBigInt64(0, BigInt(value)), 8);
      else head(0xcb, (view) => view.setFloat64(0, value), 8);
    } else if (Array.isArray(value)) {
      sized(0xdd, value.length);
      value.forEach(put);
    } else if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      const kind = NUMBERS.findIndex((Numbers) => value instanceof Numbers) + 1;
      if (!kind) throw new Error(`${value.constructor.name} has no place in a question`);
      sized(0xc9, bytes.length);
      parts.push(Uint8Array.of(kind), bytes);
    } else if (typeof value === 'object') {
      const fields = Object.entries(value);
      sized(0xdf, fields.length);
      fields.flat().forEach(put);
    } else throw new Error(`${typeof value} has no place in a question`);
  };
  put(value);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

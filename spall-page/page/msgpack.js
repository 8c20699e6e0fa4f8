// Values as bytes of MessagePack, in which questions and answers cross to an engine. An array of numbers of one kind is an
// extension, and what is absent is nil.

const NUMBERS = [Float32Array, Float64Array, Uint32Array]; // the extensions 1, 2 and 3

export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), text = new TextDecoder();
  let at = 0;
  const take = (length) => bytes.subarray(at, (at += length));
  const number = (kind, length) => {
    const value = view[`get${kind}`](at);
    at += length;
    return value;
  };
  const size = (code, least) => number(...[['Uint8', 1], ['Uint16', 2], ['Uint32', 4]][code - least]);
  const list = (length) => Array.from({ length }, value);
  const object = (length) => Object.fromEntries(Array.from({ length }, () => [value(), value()]));
  const extension = (length) => {
    const Numbers = NUMBERS[number('Int8', 1) - 1];
    return new Numbers(take(length).slice().buffer); // a copy is where numbers may be
  };
  function value() {
    const code = number('Uint8', 1);
    if (code < 0x80) return code;
    if (code < 0x90) return object(code & 15);
    if (code < 0xa0) return list(code & 15);
    if (code < 0xc0) return text.decode(take(code & 31));
    if (code >= 0xe0) return code - 256;
    switch (code) {
      case 0xc0: return undefined;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return take(size(code, 0xc4)).slice();
      case 0xc7: case 0xc8: case 0xc9: return extension(size(code, 0xc7));
      case 0xca: return number('Float32', 4);
      case 0xcb: return number('Float64', 8);
      case 0xcc: return number('Uint8', 1);
      case 0xcd: return number('Uint16', 2);
      case 0xce: return number('Uint32', 4);
      case 0xcf: return Number(number('BigUint64', 8));
      case 0xd0: return number('Int8', 1);
      case 0xd1: return number('Int16', 2);
      case 0xd2: return number('Int32', 4);
      case 0xd3: return Number(number('BigInt64', 8));
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return extension(1 << (code - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return text.decode(take(size(code, 0xd9)));
      case 0xdc: case 0xdd: return list(size(code, 0xdb));
      case 0xde: case 0xdf: return object(size(code, 0xdd));
      default: throw new Error(`${code} begins no value`);
    }
  }
  return value();
}

export function encode(value) {
  const parts = [], text = new TextEncoder();
  const number = (code, kind = undefined, length = 0, value = undefined) => {
    const part = new Uint8Array(1 + length);
    part[0] = code;
    if (length) new DataView(part.buffer)[`set${kind}`](1, value);
    parts.push(part);
  };
  const put = (value) => {
    if (value === undefined || value === null) number(0xc0);
    else if (typeof value === 'boolean') number(value ? 0xc3 : 0xc2);
    else if (typeof value === 'string') {
      const bytes = text.encode(value);
      number(0xdb, 'Uint32', 4, bytes.length);
      parts.push(bytes);
    } else if (Number.isSafeInteger(value)) number(0xd3, 'BigInt64', 8, BigInt(value));
    else if (typeof value === 'number') number(0xcb, 'Float64', 8, value);
    else if (Array.isArray(value)) {
      number(0xdd, 'Uint32', 4, value.length);
      value.forEach(put);
    } else if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      number(0xc9, 'Uint32', 4, bytes.length);
      parts.push(Uint8Array.of(NUMBERS.indexOf(value.constructor) + 1), bytes);
    } else {
      const fields = Object.entries(value).filter(([, part]) => part !== undefined);
      number(0xdf, 'Uint32', 4, fields.length);
      fields.flat().forEach(put);
    }
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

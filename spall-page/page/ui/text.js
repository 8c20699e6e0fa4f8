// Numbers, times and texts of a trace as people read them.

/** @type {[number, string][]} */
const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
/** @type {[number, string][]} */
const SIZES = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']];

/**
 * Digits in groups of three on both sides of the point.
 * @param {number} number
 */
export function grouped(number, decimals = 0) {
  const [whole, part = ''] = number.toFixed(decimals).split('.');
  const left = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return part ? `${left}.${part.replace(/(\d{3})(?=\d)/g, '$1\u202f')}` : left;
}

/**
 * @param {number} number
 * @param {string} what
 */
export function counted(number, what) {
  if (number === 1) return `1 ${what}`;
  return `${grouped(number)} ${what}${/[sx]$/.test(what) ? 'es' : 's'}`;
}

/** @param {string} text */
function withoutZeros(text) {
  return text.includes('.') ? text.replace(/[0\u202f]+$/, '').replace(/\.$/, '') : text;
}

// Of a unit, which is the nanoseconds of a tick or the name of what ticks count: how much a tick is, the names of multiples
// with their sizes, and the one that suits a number of ticks. Other things than time and bytes have no multiples.
/**
 * @param {import('../engine.js').TickUnit} unit
 * @param {number} ticks
 */
export function measure(unit, ticks) {
  const isTime = typeof unit === 'number', perTick = isTime ? unit : 1;
  if (!isTime && unit !== 'bytes') return { perTick, size: 1, name: Math.round(ticks) === 1 ? unit.replace(/s$/, '') : unit, isCount: true };
  const units = isTime ? TIMES : SIZES, [smallest] = units.slice(-1);
  const [size, name] = units.find(([size]) => Math.abs(ticks) * perTick >= size) ?? smallest;
  return { perTick, size, name, isCount: false };
}

/**
 * A duration with about four significant digits, as the library writes it, or a whole number of things.
 * @param {number} ticks
 * @param {import('../engine.js').TickUnit} unit
 */
export function duration(ticks, unit) {
  const { perTick, size, name, isCount } = measure(unit, ticks);
  if (isCount) return `${Math.round(ticks)} ${name}`;
  const value = (Math.abs(ticks) * perTick) / size;
  const decimals = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  // An exact half is rounded to the even digit, which `toFixed` does not do.
  const scaled = value * 10 ** decimals;
  const isHalf = scaled % 1 === 0.5 && Number.isInteger(value * 2 ** (decimals + 1));
  const rounded = isHalf && Math.floor(scaled) % 2 === 0 ? Math.floor(scaled) / 10 ** decimals : value;
  return `${ticks < 0 ? '-' : ''}${withoutZeros(grouped(rounded, decimals))} ${name}`;
}

/**
 * A point in time, to the tick.
 * @param {number} ticks
 * @param {import('../engine.js').TickUnit} unit
 */
export function moment(ticks, unit) {
  const { perTick, size, name } = measure(unit, ticks);
  return `${withoutZeros(grouped((ticks * perTick) / size, Math.round(Math.log10(size))))} ${name}`;
}

// Nanoseconds as a number of milliseconds, and back; `undefined` for what is no number. Both are exact.
/** @param {bigint | string} nanoseconds */
export function milliseconds(nanoseconds) {
  const [, sign = '', digits = ''] = String(nanoseconds).match(/^(-?)(\d+)$/) ?? [];
  return sign + digits.padStart(7, '0').replace(/(?=\d{6}$)/, '.').replace(/\.?0+$/, '');
}

/** @param {string} text */
export function nanoseconds(text) {
  const [, sign, whole, part = ''] = text.trim().match(/^([-−]?)(\d+)(?:[.,](\d{1,6}))?$/) ?? [];
  return whole === undefined ? undefined : BigInt(whole + part.padEnd(6, '0')) * (sign ? -1n : 1n);
}

/**
 * A search for a name and nothing else.
 * @param {string} name
 */
export function exactly(name) {
  return `/^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`;
}

// Text of a trace with everything visible: control characters become their pictures, and what turns the direction of
// the text around it is replaced.
/** @param {string} text */
export function clean(text) {
  return text
    .replace(/[\0-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/\x7f/g, '\u2421')
    .replace(/[\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g, '\ufffd');
}

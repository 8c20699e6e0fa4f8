// Numbers, times and texts of a trace as people read them.

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

// Digits in groups of three on both sides of the point.
export function grouped(number, decimals = 0) {
  const [whole, part = ''] = number.toFixed(decimals).split('.');
  const left = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return part ? `${left}.${part.replace(/(\d{3})(?=\d)/g, '$1\u202f')}` : left;
}

export function counted(number, what) {
  if (number === 1) return `1 ${what}`;
  return `${grouped(number)} ${what}${/[sx]$/.test(what) ? 'es' : 's'}`;
}

function withoutZeros(text) {
  return text.includes('.') ? text.replace(/[0\u202f]+$/, '').replace(/\.$/, '') : text;
}

// A duration with about four significant digits, as the library writes it. Without nanoseconds a tick is an event.
export function duration(ticks, nsPerTick) {
  if (!nsPerTick) return `${Math.round(ticks)} event${Math.round(ticks) === 1 ? '' : 's'}`;
  const ns = Math.abs(ticks) * nsPerTick;
  const [size, unit] = UNITS.find(([size]) => ns >= size) ?? UNITS[3];
  const value = ns / size;
  const decimals = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  // An exact half is rounded to the even digit, which `toFixed` does not do.
  const scaled = value * 10 ** decimals;
  const isHalf = scaled % 1 === 0.5 && Number.isInteger(value * 2 ** (decimals + 1));
  const rounded = isHalf && Math.floor(scaled) % 2 === 0 ? Math.floor(scaled) / 10 ** decimals : value;
  return `${ticks < 0 ? '-' : ''}${withoutZeros(grouped(rounded, decimals))} ${unit}`;
}

// A point in time, to the tick.
export function moment(ticks, nsPerTick) {
  if (!nsPerTick) return grouped(Math.round(ticks));
  const ns = ticks * nsPerTick;
  const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];
  return `${withoutZeros(grouped(ns / size, Math.round(Math.log10(size))))} ${unit}`;
}

// The label of a mark of an axis: all in the unit of the largest, with the digits that tell them apart.
export function axisLabel(ticks, step, largest, nsPerTick) {
  if (!nsPerTick) return grouped(Math.round(ticks));
  const [size, unit] = UNITS.find(([size]) => Math.abs(largest) * nsPerTick >= size) ?? UNITS[3];
  const decimals = Math.max(0, -Math.floor(Math.log10(((step * nsPerTick) / size) * 1.001)));
  return `${grouped((ticks * nsPerTick) / size, Math.min(decimals, 12))} ${unit}`;
}

// Text of a trace with everything visible: control characters become their pictures, and what turns the direction of
// the text around it is replaced.
export function clean(text) {
  return text
    .replace(/[\0-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/\x7f/g, '\u2421')
    .replace(/[\x80-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g, '\ufffd');
}

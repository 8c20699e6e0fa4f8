/** A range of time in ticks, and the tracks that count if not all do. */
export interface TimeRange {
  start: number;
  end: number;
  items?: { kind: 'process' | 'track' | 'pack'; id: number }[];
}

/** Something on the timeline. */
export interface Found {
  kind: 'slice' | 'instant' | 'state' | 'counter' | 'object';
  id: number;
}

export interface Loaded {
  title: string;
  format: string;
  start: number;
  end: number;
  /** The nanoseconds of a tick, or the name of what ticks count. */
  unit: number | string;
}

/** The element `<trace-view>`. EMBED.md describes it. */
export class TraceView extends HTMLElement {
  /** Opens files with an engine: `open` of `wasm.js`, which is the default, or of another module. */
  static load: (...args: any[]) => Promise<unknown>;
  src: string;
  theme: 'auto' | 'light' | 'dark';
  get range(): TimeRange | undefined;
  set range(range: TimeRange | null | undefined);
  get selection(): Found | undefined;
  set selection(slice: number | { id: number } | null | undefined);
  open(files: (File | string)[]): Promise<boolean>;
  addFile(file: File | string): Promise<boolean>;
  shift(name: string, nanoseconds: bigint | number): Promise<boolean>;
  cancel(): void;
  close(): void;
  find(text: string): Promise<{ slices: number; instants: number }>;
  zoomTo(start: number, end: number): void;
  picture(): Promise<Blob | null>;
  addEventListener(type: 'loaded', listener: (event: CustomEvent<Loaded>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: 'selection' | 'hover', listener: (event: CustomEvent<Found | undefined>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: 'range', listener: (event: CustomEvent<TimeRange | undefined>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: AddEventListenerOptions | boolean): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'trace-view': TraceView;
  }
}

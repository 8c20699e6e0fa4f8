import type { Place } from './engine.js';

export type { Place };

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

/** What the user has set for all traces, and how boxes and arrows are drawn. */
export interface Settings {
  wheel: 'scroll' | 'zoom';
  drag: 'select' | 'pan';
  /** Whether the colours that a file asks for are used. */
  own: 'use' | 'ignore';
  palette: 'calm' | 'okabeIto';
  theme: 'auto' | 'light' | 'dark';
  /** The size of texts in pixels. */
  text: number;
  colorBy: 'name' | 'category' | 'duration' | 'track';
  arrows: 'selected' | 'all' | 'off';
  showsEmpty: boolean;
}

/** The element `<trace-view>`. EMBED.md describes it. */
export class TraceView extends HTMLElement {
  /** Opens files with an engine: `open` of `wasm.js`, which is the default, or of another module. */
  static load: (...args: any[]) => Promise<unknown>;
  src: string;
  readOnly: boolean;
  get place(): Place | undefined;
  set place(part: Partial<Place>);
  get settings(): Settings | undefined;
  set settings(settings: Partial<Settings>);
  theme: 'auto' | 'light' | 'dark';
  get range(): TimeRange | undefined;
  set range(range: TimeRange | null | undefined);
  get selection(): Found | undefined;
  set selection(slice: number | { id: number } | null | undefined);
  open(files: (File | string | FileSystemFileHandle)[]): Promise<boolean>;
  addFile(file: File | string | FileSystemFileHandle): Promise<boolean>;
  again(): Promise<unknown>;
  shift(name: string, nanoseconds: bigint | number): Promise<boolean>;
  cancel(): void;
  close(): void;
  find(text: string): Promise<{ slices: number; instants: number }>;
  zoomTo(start: number, end: number): void;
  picture(): Promise<Blob | null>;
  save(): Promise<Blob>;
  addEventListener(type: 'loaded', listener: (event: CustomEvent<Loaded>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: 'selection' | 'hover', listener: (event: CustomEvent<Found | undefined>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: 'range', listener: (event: CustomEvent<TimeRange | undefined>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: 'progress', listener: (event: CustomEvent<{ read: number; size: number; phase?: string }>) => void, options?: AddEventListenerOptions | boolean): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: AddEventListenerOptions | boolean): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'trace-view': TraceView;
  }
}

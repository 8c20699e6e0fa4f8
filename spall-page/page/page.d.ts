// Types of the page that are not those of its engine.
import type { About, Asking, Place } from './engine.js';

/** What answers questions about a trace. One that cannot save a page, load another trace to compare with, finish a trace that has come
 * to its end, or answer SQL, has no such function. */
export type Source = Asking & {
  close?: () => void,
  save?: (place: Place) => Promise<Blob>,
  compareWith?: (file: File, progress: Progress, signal: AbortSignal) => Promise<void>,
  finish?: () => Promise<Finished>,
  query?: (sql: string, signal: AbortSignal) => Promise<Answered>,
};

/** The first rows of the answer to a question in SQL. Those with a time know their range, and the slice that they are about. */
export type Answered = {
  columns: string[],
  rows: { cells: (string | undefined)[], range: [number, number] | undefined, slice: number | undefined }[],
  hasMore: boolean,
};

/** A trace that has grown to its end, and the place that was shown of it. */
export type Finished = { about: About, place: Place };

/** How far something is that is read, in bytes, and what goes on if it is not being read. */
export type Progress = (done: number, phase?: string) => void;

/** A file of the machine, or one that a server has, of which perhaps only the beginning is wanted: so many bytes. */
export type Opened = File | { name: string, size: number, number: number, most?: number };

/** Loads files, several on one axis of time, with nanoseconds that are added to their times and one value of their samples. */
export type Load = (
  files: Opened[], progress: Progress, signal: AbortSignal, offsets: (bigint | undefined)[], value: string | undefined,
) => Promise<{ source: Source, about: About }>;

declare global {
  /** What TypeScript knows of workers is of no use in a page, and the other way round. */
  class FileReaderSync { readAsArrayBuffer(file: Blob): ArrayBuffer }
  /** Safari tells of pinches of a touch pad. */
  interface GestureEvent extends PointerEvent { scale: number }
  /** Not every browser lets a page know where files are. */
  interface FileSystemHandle { queryPermission?(): Promise<PermissionState>, requestPermission?(): Promise<PermissionState> }
  interface DataTransferItem { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }
  interface Window { showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]> }
  interface HTMLElementEventMap { gesturestart: GestureEvent, gesturechange: GestureEvent, gestureend: GestureEvent }
}

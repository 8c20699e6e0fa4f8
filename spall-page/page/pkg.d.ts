// The modules that are compiled from Rust: `examples/web/src/lib.rs` and `examples/web/brotli`.
declare module '*/spall_web.js' {
  export default function init(module: { module_or_path: unknown }): Promise<unknown>;
  export class Viewer {
    constructor(names: string[], readers: ((from: number, to: number) => Uint8Array)[], offsets: BigInt64Array, value?: string);
    unread(): Uint8Array;
    ask(question: Uint8Array): Uint8Array<ArrayBuffer>;
    go_on(later: Uint8Array, goes_on: () => boolean): Uint8Array<ArrayBuffer>;
  }
}

declare module '*/spall_web_brotli.js' {
  export default function init(module: { module_or_path: unknown }): Promise<unknown>;
  export function may_be_brotli(beginning: Uint8Array): boolean;
  export function decode(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}

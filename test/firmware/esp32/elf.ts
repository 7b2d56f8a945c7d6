/** The parts of an ELF file that a flat memory needs: what is loaded where, where that ends, and the symbols. */
export interface Program {
  readonly entry: number;
  /** `bytes` are what the file holds of `size`; the rest is zero. */
  readonly segments: readonly { readonly at: number; readonly size: number; readonly bytes: Uint8Array }[];
  /** Behind all variables. */
  readonly end: number;
  readonly symbols: ReadonlyMap<string, number>;
}

const LOADED = 1;
const SYMBOL_TABLE = 2;

export function readElf(file: Uint8Array): Program {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const loaded = table(view, 28, 42, 44).filter((at) => word(view, at) === LOADED);
  return {
    entry: word(view, 24),
    segments: loaded.map((at) => ({
      at: word(view, at + 8),
      size: word(view, at + 20),
      bytes: file.subarray(word(view, at + 4), word(view, at + 4) + word(view, at + 16)),
    })),
    end: Math.max(...loaded.map((at) => word(view, at + 8) + word(view, at + 20))),
    symbols: symbolsOf(view),
  };
}

const word = (view: DataView, at: number): number => view.getUint32(at, true);

/** Where the entries of a header table lie: `start`, `size` and `count` are where the file's header says so. */
function table(view: DataView, start: number, size: number, count: number): number[] {
  const first = word(view, start);
  const each = view.getUint16(size, true);
  return Array.from({ length: view.getUint16(count, true) }, (_, n) => first + n * each);
}

function symbolsOf(view: DataView): Map<string, number> {
  const sections = table(view, 32, 46, 48);
  const found = sections.find((at) => word(view, at + 4) === SYMBOL_TABLE);
  if (found === undefined) throw new Error("the file has no symbols");
  const names = word(view, (sections[word(view, found + 24)] ?? 0) + 16);
  const first = word(view, found + 16);
  const symbols = new Map<string, number>();
  for (let at = first; at < first + word(view, found + 20); at += 16)
    symbols.set(text(view, names + word(view, at)), word(view, at + 4));
  return symbols;
}

/** Up to its zero byte. */
export function text(view: DataView, at: number): string {
  let end = at;
  while (view.getUint8(end) !== 0) end++;
  return Buffer.from(view.buffer, view.byteOffset + at, end - at).toString("latin1");
}

import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Copies a file to `to`, with just these rights. */
export function put(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
  chmodSync(to, mode);
}

/** Writes a file, with just these rights. */
export function write(to: string, contents: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, contents);
  chmodSync(to, mode);
}

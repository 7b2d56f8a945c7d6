/** What an Intel HEX file holds, over `size` bytes of erased memory (FF). Throws where a line is damaged. */
export function readIntelHex(text: string, size: number): Uint8Array {
  const memory = new Uint8Array(size).fill(0xff);
  for (const line of text.split("\n").filter((each) => each.startsWith(":"))) {
    const bytes = Buffer.from(line.trim().slice(1), "hex");
    if (bytes.reduce((sum, byte) => sum + byte, 0) % 256 !== 0) throw new Error(`damaged: ${line}`);
    if (bytes[3] === 0) memory.set(bytes.subarray(4, -1), bytes.readUInt16BE(1));
  }
  return memory;
}

/** CRC-16/CCITT-FALSE: polynomial 1021, init FFFF, no reflection, no final xor. "123456789" gives 29B1. */
export function crc16(text: string): number {
  let crc = 0xffff;
  for (const character of Buffer.from(text, "latin1")) {
    crc ^= character << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}

/** SMBus carries no more in one block (SMBus 2.0, 5.5.7), and no sensor here needs it. */
const MOST = 32;

/** Throws a RangeError for a plain transfer of no bytes, or of too many. */
export function assertTransferable(length: number): void {
  if (Number.isInteger(length) && length >= 1 && length <= MOST) return;
  throw new RangeError(`a transfer has 1 to ${MOST} bytes, not ${length}`);
}

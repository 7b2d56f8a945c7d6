/**
 * Calls `act` once all that this turn of the event loop could read has been read: immediates come after the poll phase
 * [Node's guide to the event loop]. This is no time: a simulated clock leaves it alone.
 */
export const afterReading = (act: () => void): void => void setImmediate(act);

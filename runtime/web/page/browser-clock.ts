/** The one file of the page that sets timers. Times of plants come from the runtime alone, never from this device. */

export type Cancel = () => void;

/** Milliseconds since the page was opened, whatever the device's clock says. */
export const monotonic = (): number => performance.now();

export function after(ms: number, run: () => void): Cancel {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

/** To one decimal, as all figures of a report are. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;

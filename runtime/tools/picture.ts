/** A tool's result that comes with a picture beside it. */
export class Picture<T> {
  constructor(
    readonly value: T,
    readonly jpeg: Uint8Array,
  ) {}
}

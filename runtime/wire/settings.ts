/** A value of the configuration in force, as the page shows it. */
export interface Setting {
  /** Its dotted path: "plants[0].name". */
  readonly key: string;
  /** As JSON. */
  readonly value: string;
  readonly is_default: boolean;
  /** Empty if its declaration says nothing. */
  readonly meaning: string;
}

/** What a module shows in a person's calendar. Times are UTC, ISO 8601. */
export interface CalendarEntry {
  /** Of its own, and the same for as long as the entry is there. */
  readonly uid: string;
  readonly title: string;
  readonly description: string | null;
  readonly location: string | null;
  readonly start: string;
  /** Null: it is a point in time. */
  readonly end: string | null;
  /** In which its days begin. */
  readonly zone: string;
  /** It begins and ends with a day: then it is shown for whole days. */
  readonly maybeAllDay: boolean;
  /** A rule of RFC 5545, whose hours are those of `zone`. */
  readonly recurrence: string | null;
  readonly done: boolean;
  readonly created: string;
  readonly changed: string;
}

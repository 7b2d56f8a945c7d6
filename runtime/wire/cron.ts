import { createTask, parse, validateDetailed } from "node-cron";
import { HouseTime } from "./house-time.js";

/** What is wrong with a cron pattern; undefined if nothing. */
export function cronProblem(pattern: string): string | undefined {
  const { valid, errors } = validateDetailed(pattern);
  return valid ? undefined : errors.map(({ message }) => message).join("; ");
}

/**
 * Whether the cron pattern names an instant, in milliseconds, by the clocks of `zone`. Throws for an invalid pattern. What node-cron
 * would do itself takes Intl, and with it 8 MB (docs/performance.md): so it is asked for days such as "the last Friday" alone.
 */
export function cronMatcher(pattern: string, zone = "UTC"): (at: number) => boolean {
  const { second, minute, hour, month, dayOfMonth, dayOfWeek } = parse(pattern);
  if (![...dayOfMonth, ...dayOfWeek].every(Number.isInteger)) return namedDays(pattern, zone);
  const time = new HouseTime(zone);
  return (at) => {
    const wall = time.wallOf(at);
    return (
      second.includes(wall.getUTCSeconds()) &&
      minute.includes(wall.getUTCMinutes()) &&
      hour.includes(wall.getUTCHours()) &&
      dayOfMonth.includes(wall.getUTCDate()) &&
      month.includes(wall.getUTCMonth() + 1) &&
      dayOfWeek.includes(wall.getUTCDay())
    );
  };
}

function namedDays(pattern: string, zone: string): (at: number) => boolean {
  const task = createTask(pattern, () => undefined, { timezone: zone });
  return (at) => task.match(new Date(at));
}

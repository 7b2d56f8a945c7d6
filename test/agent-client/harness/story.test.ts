import t from "tap";
import { WrittenStory } from "../../../agent-client/harness/story.js";

const START = Date.parse("2026-06-01T06:00:00Z");

t.test("a story has a heading for each date on which something happened, and no empty last day", (t) => {
  const story = new WrittenStory(START);
  story.happened("2026-06-01T06:00:00.000Z", "event", "the pump's tube slips off");
  for (let hour = 1; hour <= 72; hour++) {
    story.passHour(hour);
    if (hour === 18) story.happened("2026-06-02T00:00:00.000Z", "the person", "# Hello\n**Water** it!");
  }
  t.equal(
    story.text,
    `── day 1, 2026-06-01 ──
       event       06:00 the pump's tube slips off

── day 2, 2026-06-02 ──
       the person  00:00 Hello Water it!
`,
  );
  t.end();
});

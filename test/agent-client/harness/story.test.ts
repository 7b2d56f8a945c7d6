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

t.test("a story does not tell how to see a photo: there is no runtime to ask for it", (t) => {
  const story = new WrittenStory(START);
  const result = { ok: true, value: { timestamp: "2026-06-01T06:00:00.000Z" } } as const;
  const call = { id: "1", name: "capture_photo", arguments: {} };
  story.cycle(1, undefined).answered("capture_photo", {}, result, { call, took: 0 });
  t.match(story.text, /capture_photo 06:00\n/);
  t.end();
});

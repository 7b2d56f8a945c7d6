import t from "tap";
import { timeFrameOf } from "../../../../agent-client/harness/report/chart.js";
import { plantChart } from "../../../../agent-client/harness/report/plant-charts.js";
import type { EventRecord, PlantResult } from "../../../../agent-client/harness/result.js";
import { after, plantResult } from "./fixture.js";
import { classed, type Element, named, parseStrictly, textOf } from "./strict-xml.js";

const HOURS = 100;

function chart(plant: PlantResult, events: readonly EventRecord[] = []): Element {
  const frame = timeFrameOf({ start: after(0), end: after(HOURS), events });
  return parseStrictly(plantChart(plant, frame, "plant-1").toString().trim());
}

const only = (root: Element, name: string, element: string): Element => {
  const found = classed(root, name).filter((each) => each.name === element && each.attributes.width !== "18");
  const drawn = found.filter(({ attributes }) => !attributes.d?.startsWith("M1,5H17"));
  if (!drawn[0]) throw new Error(`nothing of class ${name}`);
  return drawn[0];
};

/** Corners of a path, in the plot's coordinates. */
const spots = (path: Element): number[][] =>
  [...(path.attributes.d ?? "").matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

t.test("the good band lies where the species' range does, on the axis of the hydration line", async (t) => {
  const drawn = chart({ ...plantResult({ hours: HOURS }), good: { from: 40, to: 60 } });
  t.match(only(drawn, "good", "rect").attributes, { y: "52", height: "26", width: "1000" });
});

t.test(
  "lines run from the first hour at the left to the last at the right, 100 at the top and 0 at the bottom",
  async (t) => {
    const plant = plantResult({ hours: HOURS + 1 });
    const hydration = plant.hourly.hydration.map((_, hour) => (hour === 0 ? 100 : hour === HOURS ? 0 : 50));
    const line = spots(
      only(chart({ ...plant, hourly: { ...plant.hourly, hydration } }), "hydration", "path"),
    );
    t.same(
      [line[0], line[50], line.at(-1)],
      [
        [0, 0],
        [500, 65],
        [1000, 130],
      ],
    );
  },
);

t.test(
  "where the probe gave nothing its line has a gap, the silence is shaded, and the true line goes on",
  async (t) => {
    const drawn = chart(plantResult({ hours: HOURS + 1, silent: (hour) => hour >= 40 && hour < 60 }));
    const [before, behind] = (only(drawn, "reading", "path").attributes.d ?? "").split("M").slice(1);
    t.match([before, behind], [/ 390,[\d.]+$/, /^600,/]);
    t.equal(only(drawn, "unread", "path").attributes.d, "M400,0H600v130H400z");
    t.equal(only(drawn, "moisture", "path").attributes.d?.split("M").length, 2);
    t.match(textOf(drawn), "The probe gave nothing in 20 hours.");
  },
);

t.test("a reading between two silences is a dot", async (t) => {
  const drawn = chart(plantResult({ hours: 3, silent: (hour) => hour !== 1 }));
  t.match(only(drawn, "reading", "path").attributes.d, /^M10,[\d.]+h0$/);
});

t.test("doses of a day are one bar; what did not arrive stands on it in a colour of its own", async (t) => {
  const doses = [
    { at: after(1), ml: 25, arrived: 20 },
    { at: after(5), ml: 15, arrived: 10 },
    { at: after(30), ml: 20, arrived: 20 },
  ];
  const drawn = chart({ ...plantResult({ hours: HOURS }), doses });
  const [arrived, lost] = [only(drawn, "arrived", "path"), only(drawn, "lost", "path")].map(
    ({ attributes }) => attributes.d?.match(/,(-?[\d.]+)V(-?[\d.]+)/)?.slice(1),
  );
  t.same(
    [arrived, lost],
    [
      ["90", "22.5"],
      ["22.5", "0"],
    ],
    "30 ml, and 10 ml more, on an axis up to 40 ml and 90 px tall",
  );
  t.match(textOf(drawn), "1 Jun: 30 ml, and 10 ml that did not arrive");
  t.match(textOf(drawn), "3 doses, 60 ml in all, of which 10 ml did not arrive.");
});

t.test("without a dose the panel says so, and no colour is explained that it does not show", async (t) => {
  const drawn = chart(plantResult({ hours: HOURS, watered: false }));
  t.match(textOf(drawn), "No water was given.");
  t.notMatch(textOf(drawn), "did not arrive");
});

t.test("the lamp shines where and as long as it was on", async (t) => {
  const light = [
    { from: after(10), to: after(15) },
    { from: after(50), to: after(60) },
  ];
  const drawn = chart({ ...plantResult({ hours: HOURS }), light });
  t.equal(only(drawn, "lamp", "path").attributes.d, "M100,0H150v11H100zM500,0H600v11H500z");
  t.match(textOf(drawn), "lamp: on for 3.6 h a day");
  t.match(textOf(chart({ ...plantResult({ hours: HOURS }), light: [] })), "lamp: never on");
});

t.test("every event is marked in all five panels at its time, whoever made it", async (t) => {
  const events = [
    { at: after(75), by: "person", text: "filled <the> tank" },
    { at: after(25), by: "scenario", text: "the tank was empty" },
  ] as const;
  const marks = classed(chart(plantResult({ hours: HOURS }), events), "event").filter(
    ({ attributes }) => attributes.y2 === "100%",
  );
  t.equal(marks.length, 10);
  t.match(marks[0], { attributes: { class: "event scenario", x1: "25%", x2: "25%" } });
  t.same(marks.slice(0, 2).map(textOf), ["1: the tank was empty", "2: filled <the> tank"]);
});

t.test("each panel has a role, a title and a description that are its own", async (t) => {
  const pictures = named(chart(plantResult({ hours: HOURS })), "svg").filter(
    ({ attributes }) => attributes.role === "img",
  );
  t.equal(pictures.length, 5);
  const ids = pictures
    .flatMap((picture) => [...named(picture, "title"), ...named(picture, "desc")])
    .flatMap(({ attributes }) => attributes.id ?? []);
  t.equal(new Set(ids).size, 10);
  t.same(
    pictures.flatMap(({ attributes }) => attributes["aria-labelledby"]?.split(" ")),
    ids,
  );
});

t.test("a probe that reads beyond its calibration gets an axis that holds it", async (t) => {
  const plant = plantResult({ hours: HOURS });
  const reading = plant.hourly.reading.map((value, hour) => (hour === 5 ? 131 : value));
  const highest = Math.min(
    ...spots(only(chart({ ...plant, hourly: { ...plant.hourly, reading } }), "reading", "path")).map(
      ([, y]) => y ?? 0,
    ),
  );
  t.ok(highest >= 0, `${highest} px from the top`);
});

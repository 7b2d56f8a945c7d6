import t from "tap";
import { plantsOf, takesPlant } from "../../agent-client/link/tools.js";

const listing = (plant: object | undefined) => [
  {
    name: "read_moisture",
    description: "",
    readOnly: true,
    inputSchema: { type: "object", properties: plant ? { plant } : {} },
  },
];

t.test("the plants are those the tools ask to choose from", (t) => {
  t.strictSame(plantsOf(listing({ type: "string", examples: ["basil", "mint"] })), ["basil", "mint"]);
  t.strictSame(plantsOf(listing(undefined)), [], "one plant: nothing to choose");
  t.strictSame(plantsOf(listing({ type: "string", description: "any" })), []);
  t.strictSame(plantsOf([]), []);
  t.end();
});

t.test("a tool takes a plant if its schema has that parameter, of whatever kind", (t) => {
  const takes = (plant: object | undefined) => takesPlant(listing(plant)[0]);
  t.ok(takes({ type: "string", examples: ["basil"] }));
  t.ok(takes({ type: "string" }));
  t.notOk(takes(undefined));
  t.notOk(takesPlant(undefined), "no such tool");
  t.end();
});

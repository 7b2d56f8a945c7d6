import t from "tap";
import { indoorDepletion } from "../../../drivers/bench/species.js";
import {
  evaporationCoefficient,
  evaporationReduction,
  referenceEvapotranspiration,
  saturationPressure,
  waterStressCoefficient,
} from "../../../drivers/bench/water-balance.js";

const near = (value: number, expected: number, within: number) => Math.abs(value - expected) <= within;

t.test("saturation vapour pressure is that of FAO-56, annex 2, table 2.3", async (t) => {
  for (const [temperature, pressure] of [
    [1, 0.657],
    [20, 2.338],
    [35, 5.624],
  ] as const)
    t.ok(near(saturationPressure(temperature), pressure, 0.003), `${temperature} °C`);
});

t.test(
  "reference evapotranspiration grows with light, warmth and drought of the air, and is nothing in damp darkness",
  async (t) => {
    const base = referenceEvapotranspiration(21, 45, 50);
    t.ok(referenceEvapotranspiration(21, 45, 100) > base);
    t.ok(referenceEvapotranspiration(26, 45, 50) > base);
    t.ok(referenceEvapotranspiration(21, 30, 50) > base);
    t.equal(referenceEvapotranspiration(21, 100, 0), 0);
  },
);

// By hand: e° = 2.487 kPa, Δ = 0.1530, Rn − G = 0.9 · 0.77 · 0.36 = 0.2495 MJ/(m² h), ET0 = (0.01557 + 0.005766) / 0.2314.
t.test("100 W/m² at 21 °C and 45 % are 0.092 mm/h", async (t) => {
  t.ok(
    near(referenceEvapotranspiration(21, 45, 100), 0.0922, 0.0005),
    `${referenceEvapotranspiration(21, 45, 100)}`,
  );
});

t.test("a plant takes its fill until the fraction p is gone, then ever less", async (t) => {
  t.same(
    [1.2, 1, 0.6, 0.3, 0, -1].map((left) => waterStressCoefficient(left, 0.4)),
    [1, 1, 1, 0.5, 0, 0],
  );
});

t.test(
  "in a room plants take more of the water without effort than in the field, within FAO-56's limits",
  async (t) => {
    t.same(
      [-1, 0.4, 0.75].map((tabulated) => Math.round(100 * indoorDepletion(tabulated)) / 100),
      [0.1, 0.56, 0.8],
    );
  },
);

t.test("a wet surface evaporates freely, a dried one less, one under leaves least", async (t) => {
  t.same(
    [0, 0.4, 0.7, 1].map((gone) => Math.round(100 * evaporationReduction(gone)) / 100),
    [1, 1, 0.5, 0],
  );
  t.ok(evaporationCoefficient(1, 1.1, 0) > evaporationCoefficient(1, 1.1, 0.5));
  t.equal(evaporationCoefficient(0, 1.1, 0.5), 0);
});

import t from "tap";
import { plantSnapshot } from "../../../drivers/bench/bench-plant.js";
import { Room } from "../../../drivers/bench/room.js";
import { speciesNamed } from "../../../drivers/bench/species.js";
import { freshPlant, VirtualPlant } from "../../../drivers/bench/virtual-plant.js";
import { type EpochMillis, millilitres, minutes, percent, ppfd, seconds } from "../../../drivers/units.js";
import { CALIBRATION, type Evening, firstDay, flooded, grow, keptMoist } from "./grow.js";

const last = (evenings: readonly Evening[]): Evening => {
  const evening = evenings.at(-1);
  if (!evening) throw new Error("no evening");
  return evening;
};
const wilts = ({ look }: Evening) => look.turgor < 0.6;
const dies = ({ look }: Evening) => look.dead;
const aDay = (evenings: readonly Evening[]) => last(evenings).water.lost / evenings.length;

t.test(
  "kept moist in summer, a basil uses 30 to 80 ml a day, a tomato 100 to 250, a fern between",
  async (t) => {
    const [basil, fern, tomato] = ["basil", "fern", "tomato"].map((name) =>
      aDay(grow(name, 14, { water: keptMoist })),
    );
    t.ok(basil && basil > 30 && basil < 80, `basil ${basil} ml a day`);
    t.ok(tomato && tomato > 100 && tomato < 250, `tomato ${tomato} ml a day`);
    t.ok(fern && basil && tomato && fern > basil && fern < tomato, `fern ${fern} ml a day`);
  },
);

t.test("kept moist they thrive: unharmed, firm, green, and they grow", async (t) => {
  for (const name of ["basil", "tomato", "fern", "cactus"]) {
    const { vigour, look } = last(grow(name, 30, { water: keptMoist }));
    t.ok(vigour > 99 && look.turgor > 0.9 && look.yellowing < 0.1 && look.canopy > 0.7, name);
  }
});

t.test("without water a basil wilts after 6 to 10 days and dies some days later", async (t) => {
  const evenings = grow("basil", 25);
  const [limp, dead] = [firstDay(evenings, wilts), firstDay(evenings, dies)];
  t.ok(limp >= 6 && limp <= 10, `limp on day ${limp}`);
  t.ok(dead >= limp + 3 && dead <= 20, `dead on day ${dead}`);
  const { look, stress, hydration } = last(evenings);
  t.ok(look.turgor < 0.05 && look.yellowing > 0.9 && stress.drought > 0.9 && hydration < 10);
});

t.test("a wilted basil is firm again hours after water, its yellow leaves stay for days", async (t) => {
  const evenings = grow("basil", 20, { water: (_, hydration) => (hydration < 8 ? 200 : 0) });
  const limp = firstDay(evenings, ({ look }) => look.turgor < 0.4);
  const revived = firstDay(evenings.slice(limp), ({ look }) => look.turgor > 0.9);
  t.ok(revived <= 2, `limp on day ${limp}, firm ${revived} days on`);
  t.ok((evenings[limp + revived - 1]?.look.yellowing ?? 0) > 0.05);
});

t.test("a cactus lives without water for more than six weeks", async (t) => {
  const { look, vigour } = last(grow("cactus", 45));
  t.ok(!look.dead && look.turgor > 0.6 && vigour > 80, `turgor ${look.turgor}, vigour ${vigour}`);
});

t.test("500 ml a day harm herbs within two weeks and rot a cactus", async (t) => {
  for (const name of ["basil", "tomato", "fern", "cactus"]) {
    const evenings = grow(name, 20, { water: flooded });
    const harmed = firstDay(evenings, ({ vigour }) => vigour < 80);
    t.ok(harmed > 3 && harmed <= 14, `${name} harmed on day ${harmed}`);
    t.ok((evenings[harmed - 1]?.stress.waterlogging ?? 0) > 0.9);
  }
  t.equal(last(grow("cactus", 20, { water: flooded })).look.dead, true);
});

t.test("one good watering harms nobody, however slowly its pot dries", async (t) => {
  for (const name of ["basil", "tomato", "fern", "cactus"])
    t.equal(
      last(grow(name, 14, { water: (minute, hydration) => (hydration < 30 && minute === 0 ? 200 : 0) }))
        .vigour > 95,
      true,
      name,
    );
});

t.test(
  "a winter without a lamp is too dark for a basil, with eight hours of it a day it thrives",
  async (t) => {
    const winter = { start: "2026-12-01", water: keptMoist };
    const [dark, lit] = [last(grow("basil", 30, winter)), last(grow("basil", 30, { ...winter, lamp: 8 }))];
    t.ok(dark.lightIntegral < 2 && dark.stress.light > 0.5 && dark.look.yellowing > 0.2 && dark.vigour < 95);
    t.ok(lit.lightIntegral > 5 && lit.stress.light === 0 && lit.vigour === 100);
    t.ok(lit.look.canopy > dark.look.canopy);
  },
);

t.test("frost and heat harm a basil within days", async (t) => {
  for (const temperature of [0, 45]) {
    const air = { temperature: temperature as never };
    const { stress, vigour } = last(grow("basil", 5, { water: keptMoist, air }));
    t.ok(stress.temperature === 1 && vigour < 20, `${temperature} °C leave ${vigour}`);
  }
});

/** Doses, floods, edges of relays and light for two weeks. */
function unsettle(plant: VirtualPlant): void {
  const room = new Room(2);
  for (let step = 0; step < 20_000; step++) {
    const edge = step % 90 === 0;
    const water = millilitres(step % 700 === 0 ? 400 : edge ? 10 : 0);
    const air = room.at((step * 60_000) as EpochMillis);
    plant.step(edge ? seconds(7) : minutes(1), { water, lamp: step % 3 === 0, air });
  }
}

t.test("no water is lost from the account: what came is stored, gone into the air, or drained", async (t) => {
  for (const name of ["basil", "tomato", "fern", "cactus"]) {
    const plant = new VirtualPlant(speciesNamed(name), CALIBRATION, 1);
    const stored = () => plant.snapshot().bound + plant.snapshot().free;
    const before = stored();
    unsettle(plant);
    const { received, lost, drained } = plant.truth().water;
    t.ok(Math.abs(stored() - before - (received - lost - drained)) < 1e-6, name);
    t.ok(drained > 1000 && lost > 10);
    t.same(plantSnapshot.parse(plant.snapshot()), plant.snapshot());
  }
});

t.test("the course hardly depends on the steps it is cut into", async (t) => {
  const live = (step: number) => {
    const plant = new VirtualPlant(
      speciesNamed("basil"),
      CALIBRATION,
      1,
      freshPlant(speciesNamed("basil"), 40),
    );
    const air = new Room(1).at(Date.parse("2026-06-15T12:00:00Z") as EpochMillis);
    for (let at = 0; at < 86_400; at += step) {
      const water = millilitres(at % 21_600 < 60 ? 30 * (step / 60) : 0);
      plant.step(seconds(step), { water, lamp: false, air });
    }
    return plant.truth();
  };
  const [fine, coarse] = [live(5), live(60)];
  t.ok(Math.abs(fine.hydration - coarse.hydration) < 0.1, `${fine.hydration} and ${coarse.hydration}`);
  t.ok(Math.abs(fine.water.drained - coarse.water.drained) < 0.1);
});

t.test(
  "it goes on from its snapshot as if nothing had happened, also when its dry soil was just watered",
  async (t) => {
    const species = speciesNamed("tomato");
    const room = new Room(1);
    const live = (plant: VirtualPlant, from: number) => {
      for (let minute = from; minute < from + 3000; minute++) {
        const water = millilitres(minute % 500 === 499 ? 300 : 0);
        plant.step(minutes(1), { water, lamp: true, air: room.at((minute * 60_000) as EpochMillis) });
      }
      return plant;
    };
    const dry = freshPlant(species, 0);
    const airDry = { ...dry, bound: species.pot.substrate.airDry * species.pot.volume, sensed: 0 };
    for (const start of [freshPlant(species), airDry]) {
      const whole = live(new VirtualPlant(species, CALIBRATION, 1, start), 0);
      const kept = plantSnapshot.parse(JSON.parse(JSON.stringify(whole.snapshot())));
      const again = live(new VirtualPlant(species, CALIBRATION, 1, kept), 3000);
      t.same(again.snapshot(), live(whole, 3000).snapshot());
      t.equal(again.probe(5 as EpochMillis), whole.probe(5 as EpochMillis));
    }
  },
);

t.test("a dead plant does not come back, and takes no more water; its soil still dries", async (t) => {
  const evenings = grow("basil", 40, {
    water: (minute, hydration) => (minute === 0 && hydration < 0.3 ? 200 : 0),
  });
  const death = firstDay(evenings, dies);
  const after = evenings.slice(death);
  t.ok(after.length > 10 && after.every(({ look, vigour }) => look.dead && vigour === 0));
  const dries = evenings.map(({ water }, day) => water.lost - (evenings[day - 1]?.water.lost ?? 0));
  t.ok(
    dries.slice(death + 2).every((ml) => ml > 0 && ml < 25),
    `${dries.slice(death)}`,
  );
  t.ok(last(evenings).look.turgor < 0.01);
});

t.test("a lamp and dry air raise what a plant loses; darkness and damp air lower it", async (t) => {
  const aDayIn = (air: object, lamp = 0) => last(grow("basil", 1, { air, lamp })).water.need;
  const dark = aDayIn({ daylight: ppfd(0), humidity: percent(90) });
  const common = aDayIn({});
  const bright = aDayIn({ humidity: percent(30) }, 8);
  t.ok(dark < common / 3 && bright > 1.2 * common, `${dark}, ${common}, ${bright} ml`);
});

t.test(
  "a pot that is left dries to the air's dryness and no further, and its snapshot stays valid",
  async (t) => {
    const plant = new VirtualPlant(
      speciesNamed("basil"),
      CALIBRATION,
      1,
      freshPlant(speciesNamed("basil"), 0),
    );
    const air = { ...new Room(1).at(0 as EpochMillis), humidity: percent(5), daylight: ppfd(500) };
    for (let hour = 0; hour < 24 * 365; hour++)
      plant.step(minutes(60), { water: millilitres(0), lamp: true, air });
    const { bound } = plantSnapshot.parse(plant.snapshot());
    const { substrate, volume } = speciesNamed("basil").pot;
    t.ok(bound >= substrate.airDry * volume - 1e-9 && bound < substrate.wiltingPoint * volume, `${bound} ml`);
  },
);

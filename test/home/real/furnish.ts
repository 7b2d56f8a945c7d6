import type { HomeSocket } from "../../../runtime/bridge/home/socket.js";

const FLOORS = ["Ground floor", "Outside"];
const LABELS = ["Evening", "Plants", "Openers"];
/** By name: the floor's id, and aliases. */
const AREAS: Readonly<Record<string, readonly [floor: string, ...aliases: string[]]>> = {
  "Living Room": ["ground_floor", "lounge"],
  Kitchen: ["ground_floor", "cookery"],
  Bedroom: ["ground_floor"],
  Hall: ["ground_floor"],
  Greenhouse: ["outside", "glasshouse"],
  Garage: ["outside"],
};
/** What is set in the registry. A light in the bedroom is called as those of the kitchen: names are not unique. */
const ENTITIES: Readonly<Record<string, object>> = {
  "light.kitchen_lights": { area_id: "kitchen", labels: ["evening"], aliases: ["cooking lamp"] },
  "cover.kitchen_window": { area_id: "kitchen" },
  "light.ceiling_lights": { area_id: "living_room", labels: ["evening"] },
  "light.living_room_rgbww_lights": { area_id: "living_room" },
  "light.bed_light": { area_id: "bedroom" },
  "light.office_rgbw_lights": { area_id: "bedroom", name: "Kitchen Lights" },
  "light.porch_light": { area_id: "hall", labels: ["evening"] },
  "lock.all_doors": { area_id: "hall", labels: ["openers"] },
  "switch.grow_light": { area_id: "greenhouse", labels: ["plants"] },
  "sensor.soil_moisture": { area_id: "greenhouse", labels: ["plants"] },
  "lock.greenhouse_door": { area_id: "greenhouse", labels: ["plants"] },
  "switch.gate_opener": { area_id: "garage", labels: ["openers"] },
  "button.garage_remote": { area_id: "garage", labels: ["openers"] },
  "sensor.long_text": { hidden_by: "user" },
  "switch.ac": { disabled_by: "user" },
};
/** The garage door has area and label by its device. */
const GARAGE = { entity_id: "cover.garage_door", area_id: "garage", labels: ["openers"] };
const EXPOSED = [
  "light.kitchen_lights",
  "light.ceiling_lights",
  "switch.grow_light",
  "sensor.soil_moisture",
  "script.evening_lights",
  "todo.shopping_list",
];

/** Gives the home's things their rooms, labels and names. */
export async function furnish(owner: HomeSocket): Promise<void> {
  for (const name of FLOORS) await owner.ask("config/floor_registry/create", { name });
  for (const name of LABELS) await owner.ask("config/label_registry/create", { name });
  await furnishAreas(owner);
  for (const [entity_id, change] of Object.entries(ENTITIES))
    await owner.ask("config/entity_registry/update", { entity_id, ...change });
  const { entity_id, ...change } = GARAGE;
  const { device_id } = (await owner.ask("config/entity_registry/get", { entity_id })) as {
    device_id: string;
  };
  await owner.ask("config/device_registry/update", { device_id, ...change });
  await expose(owner);
}

async function furnishAreas(owner: HomeSocket): Promise<void> {
  const there = (await owner.ask("config/area_registry/list")) as { name: string; area_id: string }[];
  for (const [name, [floor_id, ...aliases]] of Object.entries(AREAS)) {
    const area =
      there.find((each) => each.name === name) ??
      ((await owner.ask("config/area_registry/create", { name })) as { area_id: string });
    await owner.ask("config/area_registry/update", { area_id: area.area_id, floor_id, aliases });
  }
}

async function expose(owner: HomeSocket): Promise<void> {
  const { exposed_entities: by } = (await owner.ask("homeassistant/expose_entity/list")) as {
    exposed_entities: Readonly<Record<string, object>>;
  };
  const set = (entity_ids: readonly string[], should_expose: boolean) =>
    owner.ask("homeassistant/expose_entity", { assistants: ["conversation"], entity_ids, should_expose });
  await set(Object.keys(by), false);
  await set(EXPOSED, true);
}

import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";
import { approvalKind, quietFor } from "../../../runtime/services/channels/declarations.js";

t.test("a channel that is not there, and an account of nobody, are mistakes of the configuration", (t) => {
  const config = `people:
  - { id: anna, channels: [telegram, ntfy] }
channels:
  telegram: {}
  mail:
    accounts: { ben: ben@example.org, household: house@example.org }
`;
  t.throws(() => parseConfig(config, "c.yaml"), {
    code: "CONFIG_INVALID",
    problems: [
      "c.yaml:2: people[0].channels[1]: ntfy is not under channels",
      'c.yaml:6: channels.mail.accounts.ben: no "ben" is under people',
    ],
  });
  t.doesNotThrow(() => parseConfig(`${config}modules: { channels: false }\n`, "c.yaml"));
  t.end();
});

const home = (domain: string, service: string, ...entity_ids: readonly string[]) =>
  approvalKind("call_ha_service", { domain, service, entity_ids, service_data: {} });

t.test("a yes to what opens, unlocks or disarms is of a kind of its own", (t) => {
  t.equal(home("lock", "unlock", "lock.front"), "unlock");
  t.equal(home("lock", "open", "lock.front"), "unlock");
  for (const service of ["open_cover", "toggle", "set_cover_position", "open_cover_tilt"])
    t.equal(home("cover", service, "cover.garage"), "open", service);
  t.equal(home("valve", "open_valve", "valve.garden"), "open");
  t.equal(home("alarm_control_panel", "alarm_disarm", "alarm_control_panel.house"), "disarm");
  t.equal(home("alarm_control_panel", "alarm_trigger", "alarm_control_panel.house"), "disarm");
  t.end();
});

t.test("what closes or guards is the home's", (t) => {
  t.equal(home("lock", "lock", "lock.front"), "home");
  t.equal(home("cover", "close_cover", "cover.garage"), "home");
  t.equal(home("valve", "close_valve", "valve.garden"), "home");
  t.equal(home("alarm_control_panel", "alarm_arm_away", "alarm_control_panel.house"), "home");
  t.end();
});

t.test("a name that tells of a door counts, in whatever domain", (t) => {
  t.equal(home("switch", "turn_on", "switch.garage_opener"), "open");
  t.equal(home("script", "turn_on", "script.unlock_all"), "unlock");
  t.equal(home("button", "press", "button.disarm"), "disarm");
  t.end();
});

t.test("in doubt it is the kind that no channel may approve by default", (t) => {
  t.equal(home("light", "turn_on", "light.kitchen"), "home");
  t.equal(home("light", "turn_on", "group.kitchen"), "other", "a group may hold anything");
  t.equal(home("script", "turn_on", "script.evening"), "other");
  t.equal(approvalKind("call_ha_service", { domain: "light", service: "turn_on" }), "other", "no entities");
  t.equal(approvalKind("a_tool_of_tomorrow", {}), "other");
  t.equal(approvalKind(undefined, {}), "other");
  t.same(
    ["dispense_water", "turn_on_light", "sendEmail"].map((tool) => approvalKind(tool, {})),
    ["water", "light", "mail"],
  );
  t.end();
});

t.test("quiet hours go over midnight, in the person's zone, and say when they end", (t) => {
  const at = (time: string, zone = "UTC", hours = "22:00-07:00") =>
    quietFor(hours, zone, Date.parse(time)) / 3_600_000;
  t.equal(at("2026-06-01T21:59Z"), 0);
  t.equal(at("2026-06-01T22:00Z"), 9);
  t.equal(at("2026-06-02T06:00Z"), 1);
  t.equal(at("2026-06-02T07:00Z"), 0);
  t.equal(at("2026-06-01T17:30Z", "Asia/Kolkata"), 8);
  t.equal(at("2026-06-01T12:00Z", "UTC", "11:00-13:00"), 1);
  t.equal(quietFor(undefined, "UTC", 0), 0);
  t.end();
});

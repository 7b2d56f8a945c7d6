import { isProbeChip, isRoomChip, PROBE_ADDRESSES } from "../../drivers/pi/inspect/chips.js";
import { ledsOfOurBlock } from "../../drivers/pi/inspect/config-txt.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { PinTakers } from "../../drivers/pi/inspect/pins.js";
import { pinRefusal, relayRefusal } from "../../drivers/pi/inspect/pins.js";
import type { Answers, ContactAnswers, PlantAnswers, RelayAnswers } from "./answers.js";
import type { Draft, DraftCamera, DraftInput, DraftPlant, DraftRelay, Problem } from "./write-yaml.js";

type Settled = { readonly draft: Draft } | { readonly problems: readonly Problem[] };

/** Adds what follows from the hardware, and names what is missing or impossible. */
export function settle(answers: Answers, findings: Findings): Settled {
  const checks = new DraftChecks(findings);
  const draft = draftOf(answers, checks);
  return draft && checks.problems.length === 0 ? { draft } : { problems: checks.problems };
}

function draftOf(answers: Answers, checks: DraftChecks): Draft | undefined {
  const { findings } = checks;
  const board = boardOf(answers, checks);
  const { plants } = answers;
  if (!plants) checks.complain("plants", "which plants are there? a list with at least an id each");
  if (!board || !plants) return undefined;
  if (board === "bench") return { board, plants: plants.map(simulated), ...serverOf(answers, findings) };
  const wired = plants.flatMap((plant, at) => plantOf(plant, `plants[${at}]`, plants.length, checks));
  const climate = climateOf(answers, findings);
  const inputs = [
    ...settleContact(answers.stop_button, "stop", checks),
    ...settleContact(answers.leak_sensor, "leak", checks),
    ...settleContact(answers.tank_float, "tank", checks),
  ];
  return {
    board,
    i2c_bus: 1,
    plants: wired,
    ...(climate.length > 0 && { climate }),
    ...(inputs.length > 0 && { inputs }),
    ...interlockOf(answers),
    ...serverOf(answers, findings),
  };
}

function boardOf({ board }: Answers, checks: DraftChecks): Draft["board"] | undefined {
  if (board === "bench") return board;
  if (checks.findings.board) return "pi";
  return checks.complain(
    "board",
    "this computer is not a Raspberry Pi: write `board: bench` for simulated plants into a file of answers, and name it with --from answers.yaml",
  );
}

/** Without an answer the sensors that say what they are, in "room", "room 2" and so on. */
function climateOf({ climate }: Answers, { headerBus }: Findings): NonNullable<Draft["climate"]> {
  if (climate === "none") return [];
  if (climate) return climate.map((room) => ({ ...room, address: Number(room.address) }));
  return headerBus.chips.filter(isRoomChip).map(({ kind, address }, at) => ({
    place: at === 0 ? "room" : `room ${at + 1}`,
    chip: kind,
    address,
  }));
}

const interlockOf = ({ interlock: port = "none" }: Answers): Pick<Draft, "interlock"> =>
  port === "none" ? {} : { interlock: { via: "serial", port } };

/**
 * Loopback by default, and always for the plain port. mDNS gives the name in the house [RFC 6762, 3]; the port is the schema's
 * default.
 */
const serverOf = ({ network }: Answers, { hostname: name }: Findings): Pick<Draft, "server"> => ({
  ...(network === "house" && {
    server: {
      tls: { host: "0.0.0.0", port: 8732 },
      public_url: `https://${name}.local:8732`,
      allowed_hosts: [name, `${name}.local`],
    },
  }),
});

const named = ({ id, name, species }: PlantAnswers): DraftPlant => ({
  id,
  ...(name !== undefined && { name }),
  ...(species !== undefined && { species }),
});

/** No two plants share an input: four are at each ADC. The first plant has the schema's default. */
const simulated = (plant: PlantAnswers, at: number): DraftPlant => ({
  ...named(plant),
  ...(at > 0 && {
    probe: { chip: "ads1115", address: PROBE_ADDRESSES.ads1115[0] + Math.floor(at / 4), channel: at % 4 },
  }),
});

function plantOf(answers: PlantAnswers, key: string, plants: number, checks: DraftChecks): DraftPlant[] {
  const probe = probeOf(answers, key, plants, checks);
  const pump = answers.pump === "none" ? undefined : pumpOf(answers, key, checks);
  const light = lightOf(answers, key, checks);
  const camera = cameraOf(answers, key, plants, checks);
  if (!probe) return [];
  return [
    { ...named(answers), probe, ...(pump && { pump }), ...(light && { light }), ...(camera && { camera }) },
  ];
}

/** Known without an answer only for one plant and one seesaw: an ADC does not show which input has a probe. */
function probeOf(
  { probe }: PlantAnswers,
  key: string,
  plants: number,
  checks: DraftChecks,
): DraftPlant["probe"] | undefined {
  if (probe !== undefined) {
    const [address = "", channel] = probe.split("/");
    if (channel === undefined) return { chip: "seesaw", address: Number(address) };
    return { chip: "ads1115", address: Number(address), channel: Number(channel) };
  }
  const [only, ...others] = checks.findings.headerBus.chips.filter(isProbeChip);
  if (plants === 1 && only?.kind === "seesaw" && others.length === 0)
    return { chip: "seesaw", address: only.address };
  return checks.complain(`${key}.probe`, 'which input is its probe at? as "0x48/0", or "0x36" for a seesaw');
}

function pumpOf({ id, pump }: PlantAnswers, key: string, checks: DraftChecks) {
  const answer = pump === "none" ? undefined : pump;
  const output = settleRelay(answer, `${id}-pump`, `${key}.pump`, checks);
  const flow_ml_per_s = answer?.flow_ml_per_s;
  return output && { ...(flow_ml_per_s !== undefined && { flow_ml_per_s }), output };
}

/** None by default, unless there is a LED with its name. */
function lightOf({ id, light }: PlantAnswers, key: string, checks: DraftChecks) {
  if (light === "none") return undefined;
  const led = `${id}-light`;
  if (light === undefined && !checks.findings.leds.some(({ name }) => name === led)) return undefined;
  const output = settleRelay(light, led, `${key}.light`, checks);
  return output && { output };
}

function cameraOf(
  { camera }: PlantAnswers,
  key: string,
  plants: number,
  checks: DraftChecks,
): DraftCamera | undefined {
  if (camera === "none") return undefined;
  if (camera === undefined) {
    const { ribbonCameras, webcams } = checks.findings;
    const [only, ...others] = [
      ...ribbonCameras.map(({ program, index }) => ({ program, index })),
      ...webcams.map(({ device }) => ({ program: "fswebcam" as const, device })),
    ];
    return plants === 1 && others.length === 0 ? only : undefined;
  }
  const ribbon = /^(rpicam-still|libcamera-still) ([0-3])$/.exec(camera);
  if (ribbon) return { program: ribbon[1] as "rpicam-still" | "libcamera-still", index: Number(ribbon[2]) };
  if (camera.startsWith("/dev/")) return { program: "fswebcam", device: camera };
  return checks.complain(
    `${key}.camera`,
    'must be "none", "rpicam-still 0", or a device such as /dev/video0',
  );
}

/** Collects taken pins and problems, one answer after the other. */
export class DraftChecks {
  private readonly taken: Map<number, string>;
  readonly problems: Problem[] = [];

  constructor(readonly findings: Findings) {
    const { taken, configTxt } = findings;
    const ours = ledsOfOurBlock(configTxt?.text ?? "");
    const isOurs = (taker: string) => ours.some((led) => taker === led || taker === `the LED ${led}`);
    this.taken = new Map([...taken].filter(([, taker]) => !isOurs(taker)));
  }

  get pins(): PinTakers {
    return this.taken;
  }

  take(gpio: number, by: string): void {
    this.taken.set(gpio, by);
  }

  complain(key: string, what: string): undefined {
    this.problems.push({ key, what });
  }
}

/** A relay's pin and polarity: as answered, else of the LED with that name, which an overlay made. */
function settleRelay(
  answer: RelayAnswers | undefined,
  led: string,
  key: string,
  checks: DraftChecks,
): DraftRelay | undefined {
  const node = checks.findings.leds.find(({ name }) => name === led)?.node;
  const gpio = answer?.gpio ?? node?.gpio;
  const onWhen = answer?.on_when ?? (node && (node.activeLow ? "low" : "high"));
  if (gpio === undefined) return checks.complain(`${key}.gpio`, "which pin switches it? or say none");
  if (onWhen === undefined)
    return checks.complain(`${key}.on_when`, 'does the relay click on when the pin is "low" or "high"?');
  const refusal = relayRefusal(gpio, onWhen, checks.pins, led);
  if (refusal !== undefined) return checks.complain(`${key}.gpio`, refusal);
  checks.take(gpio, `the relay ${led}`);
  return { gpio, active_low: onWhen === "low", via: "led", led };
}

const NAMES = { stop: "stop button", leak: "leak sensor", tank: "tank float" } as const;

/** A contact as answered; none by default, since the hardware does not show whether it is wired. */
function settleContact(
  answer: ContactAnswers | "none" | undefined,
  kind: DraftInput["kind"],
  checks: DraftChecks,
): DraftInput[] {
  if (answer === undefined || answer === "none") return [];
  const name = NAMES[kind];
  const { gpio, active_when } = answer;
  const refusal = pinRefusal(gpio, checks.pins);
  if (refusal !== undefined) {
    checks.complain(`${name.replace(" ", "_")}.gpio`, refusal);
    return [];
  }
  checks.take(gpio, `the ${name}`);
  return [{ kind, name, gpio, active_low: active_when === "low" }];
}

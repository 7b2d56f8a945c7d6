import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt, { type MqttClient } from "mqtt";
import type { Test } from "tap";
import { freePort } from "./free-port.js";

/** Debian's package puts it where users of no rights do not look. */
const PROGRAM = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"].find((path) => existsSync(path));

/** Why tests with a broker are left out; undefined where they run. */
export const NO_BROKER =
  PROGRAM === undefined
    ? "NOT TESTED with an MQTT broker: mosquitto is not installed (apt-get install mosquitto)"
    : undefined;

/** A real broker (Debian's mosquitto) on loopback, without a disk. */
export class Mosquitto {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  /** `login`: "user:password" of the only one who may come in, as mosquitto_passwd hashes it; by default everybody may. */
  static async start(t: Test, { password }: { readonly password?: string } = {}): Promise<Mosquitto> {
    const folder = await mkdtemp(join(tmpdir(), "tendril-mosquitto-"));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const broker = new Mosquitto(await freePort(), folder);
    t.teardown(() => broker.end());
    const who = password === undefined ? "allow_anonymous true" : `password_file ${folder}/passwords`;
    if (password !== undefined)
      await writeFile(join(folder, "passwords"), `tendril:${password}\n`, { mode: 0o600 });
    const lines = [
      `listener ${broker.port} 127.0.0.1`,
      who,
      "persistence false",
      "log_dest none",
      "user root",
    ];
    await writeFile(join(folder, "mosquitto.conf"), `${lines.join("\n")}\n`);
    await chmod(folder, 0o755);
    if (password !== undefined) await run("mosquitto_passwd", ["-U", join(folder, "passwords")]);
    await broker.begin();
    return broker;
  }

  /** On the same port, with nothing that it had kept. */
  async begin(): Promise<void> {
    this.child = spawn(PROGRAM ?? "mosquitto", ["-c", join(this.folder, "mosquitto.conf")], {
      stdio: "ignore",
    });
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`mosquitto ended with ${this.child.exitCode}`);
      if (await answers(this.port)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** A client as Home Assistant is one: it hears everything. */
  async client(t: Test): Promise<MqttListener> {
    const client = await mqtt.connectAsync(this.url, { reconnectPeriod: 50 });
    t.teardown(() => client.endAsync(true));
    const listener = new MqttListener(client);
    await client.subscribeAsync("#");
    return listener;
  }
}

interface Heard {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

export class MqttListener {
  /** Oldest first. */
  readonly heard: Heard[] = [];

  constructor(private readonly client: MqttClient) {
    client.on("message", (topic, payload, { retain }) =>
      this.heard.push({ topic, payload: payload.toString("utf8"), retain }),
    );
  }

  /** The newest of a topic, as JSON where it is some. */
  last(topic: string): unknown {
    const found = this.heard.findLast((each) => each.topic === topic);
    return found && read(found.payload);
  }

  all(topic: string): unknown[] {
    return this.heard.filter((each) => each.topic === topic).map(({ payload }) => read(payload));
  }

  say(topic: string, payload: string, { retain = false } = {}): Promise<unknown> {
    return this.client.publishAsync(topic, payload, { retain, qos: 1 });
  }
}

function read(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => socket.end(() => resolve(true)));
    socket.once("error", () => resolve(false));
  });

async function run(program: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, [...args], { stdio: "ignore" }), "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

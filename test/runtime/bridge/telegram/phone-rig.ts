import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import { SystemClock } from "../../../../drivers/clock/system-clock.js";
import { Bridge } from "../../../../runtime/bridge/bridge.js";
import { Link } from "../../../../runtime/bridge/link.js";
import { telegramAdapter } from "../../../../runtime/bridge/telegram/adapter.js";
import { channels } from "../../../../runtime/services/channels/channels.js";
import { servedWithTokens } from "../../../contract/served.js";
import { type CallOptions, type Rig, type RigOptions, rigFor } from "../../../rig.js";
import { FakeTelegram, soon } from "./fake-telegram.js";

export const HUMAN = { as: "human" } as const satisfies CallOptions;
export const ANNA = 4711;
export const BEN = 4712;
export const STRANGER = 666;

const BASE = "server: { calls_per_second: 100000 }\nconfirm: { dispense_water: always }\n";
export const ALONE = `${BASE}channels: { telegram: {} }\n`;
export const FAMILY = `${ALONE}people: [{ id: anna, name: Anna }, { id: ben, name: Ben }]\n`;

/** A runtime on a real port with a bridge and a Telegram of our own. The plants' time moves only by the test. */
export class PhoneRig {
  readonly said: string[] = [];
  private stopping = new AbortController();
  private serving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly t: Test,
    readonly rig: Rig,
    readonly telegram: FakeTelegram,
    private served: Awaited<ReturnType<typeof servedWithTokens>>,
  ) {}

  static async start(t: Test, options: RigOptions = { config: ALONE }): Promise<PhoneRig> {
    const telegram = await FakeTelegram.start(t);
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z", ...options });
    const phone = new PhoneRig(t, rig, telegram, await servedWithTokens(t, rig));
    t.teardown(() => phone.stopBridge());
    await phone.startBridge();
    return phone;
  }

  get url(): string {
    return this.served.url;
  }

  get tokenFile(): string {
    return join(this.rig.state, "tokens-scoped", "bridge");
  }

  /** A bridge in this process. */
  async startBridge(adapter = telegramAdapter): Promise<void> {
    const token = (await readFile(this.tokenFile, "utf8")).trim();
    this.stopping = new AbortController();
    const bridge = new Bridge({
      link: new Link({ url: this.url, token }),
      adapters: [adapter],
      secrets: {
        values: { telegram: { token: this.telegram.token, api_root: this.telegram.root } },
        problems: {},
      },
      clock: new SystemClock(),
      random: () => 0.99,
      say: (text) => this.said.push(text),
      signal: this.stopping.signal,
    });
    this.serving = bridge.serve();
    if (adapter === telegramAdapter) await this.connected();
  }

  async connected(): Promise<void> {
    await soon(async () => ((await this.channel()).state === "ok" ? true : undefined)).catch((error) => {
      throw new Error(`${error.message}; the bridge said: ${this.said.join("; ")}`);
    });
  }

  async stopBridge(): Promise<void> {
    this.stopping.abort();
    await this.serving;
  }

  /** The runtime ends as at a power cut, and is there again at the same address. */
  async restartRuntime(): Promise<void> {
    await this.cutLink();
    await this.rig.crash();
    await this.rig.open();
    await this.mendLink();
  }

  /** The runtime goes on, and nobody reaches it. (Not by a proxy: the bridge refuses what answers at another port.) */
  async cutLink(): Promise<void> {
    await this.served.close();
  }

  async mendLink(): Promise<void> {
    const { port } = new URL(this.url);
    this.served = await servedWithTokens(this.t, this.rig, {}, Number(port));
  }

  async channel() {
    const { channels } = await this.rig.get("list_channels", {}, HUMAN);
    return (
      (channels as readonly { state: string; code: string | null; accounts: readonly object[] }[])[0] ?? NONE
    );
  }

  /** Pairs an account by a code, as a person does. */
  async pair(account: number, person?: string): Promise<void> {
    const args = { channel: "telegram", ...(person !== undefined && { user_id: person }) };
    const { code } = await this.rig.get("open_channel_code", args, HUMAN);
    this.telegram.write(account, `/start ${code}`);
    await this.telegram.says(account, /^Paired/);
  }

  /** An agent wants to pour, and its call waits; the letter on the phone. */
  async asked(account = ANNA) {
    await this.rig.status([{ action: "water", value: 20 }]);
    const call = (key = "dose") => this.rig.call("dispense_water", { ml: 20 }, { key });
    const first = await call();
    const letter = await this.telegram.says(account, /wants to pour 20 ml/);
    await soon(() => this.rig.core.get(channels).letters.open().length > 0 || undefined);
    return { first, call, letter };
  }

  /** How often the pump has been switched on. */
  get doses(): number {
    return this.rig.bench.pumpEdges("basil").filter(({ level }) => level === 1).length;
  }

  /** The call that waits goes on, and the plant's time with it. */
  poured(key = "dose") {
    return this.rig.during("dispense_water", { ml: 20 }, { key });
  }
}

const NONE = { state: "none", code: null, accounts: [] };

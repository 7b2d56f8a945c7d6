import type { Test } from "tap";
import { millis } from "../../drivers/units.js";
import type { HomeSocket } from "../../runtime/bridge/home/socket.js";
import { CLOCK, personOf, type TestHome } from "./tested-adapter.js";

type Changed = Readonly<Record<string, { readonly "+"?: { readonly s?: string } }>>;
interface StatesEvent {
  readonly a?: Readonly<Record<string, { readonly s: string }>>;
  readonly c?: Changed;
  readonly r?: readonly string[];
}
interface CallEvent {
  readonly data: { readonly domain: string; readonly service: string };
}

/** Milliseconds. A choice: what Home Assistant does, it has begun by then also on a busy machine. */
const PATIENCE = 15_000;

/** The owner of the home, with a token of its own and beside all that is ours: it sees each state, and each call. */
export class Judge {
  readonly states = new Map<string, string>();
  /** "lock.unlock", by whomever, as Home Assistant itself tells it. */
  readonly calls: string[] = [];
  /** "lock.front_door unlocking", in order of time. */
  readonly changes: string[] = [];

  private constructor(readonly socket: HomeSocket) {}

  static async of(t: Test, home: TestHome): Promise<Judge> {
    const judge = new Judge(await personOf(t, home));
    await judge.socket.subscribe("subscribe_entities", {}, (event) => judge.hear(event as StatesEvent));
    const event_type = "call_service";
    await judge.socket.subscribe("subscribe_events", { event_type }, (event) => {
      const { domain, service } = (event as CallEvent).data;
      judge.calls.push(`${domain}.${service}`);
    });
    await judge.sees(() => judge.states.size > 0);
    return judge;
  }

  /** Calls a service as the owner. */
  async call(service: string, entity_id?: string, service_data: object = {}): Promise<void> {
    const [domain, name] = service.split(".");
    const target = entity_id === undefined ? {} : { target: { entity_id } };
    await this.socket.ask("call_service", { domain, service: name, service_data, ...target });
  }

  /** Whether it came to that, within a time that is enough. */
  async sees(is: () => boolean): Promise<boolean> {
    const ends = CLOCK.monotonic() + PATIENCE;
    while (!is() && CLOCK.monotonic() < ends && this.socket.isOpen) await CLOCK.sleep(millis(10));
    return is();
  }

  private hear({ a = {}, c = {}, r = [] }: StatesEvent): void {
    for (const [id, { s }] of Object.entries(a)) this.note(id, s);
    for (const [id, { "+": plus }] of Object.entries(c)) if (plus?.s !== undefined) this.note(id, plus.s);
    for (const id of r) this.states.delete(id);
  }

  private note(id: string, state: string): void {
    if (this.states.get(id) !== state) this.changes.push(`${id} ${state}`);
    this.states.set(id, state);
  }
}

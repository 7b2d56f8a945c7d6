import type { Cancel, Clock } from "../../drivers/ports.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { type Interface, interfacesOf, markOf, type Place } from "./interfaces.js";
import { MulticastLink } from "./multicast-link.js";
import type { Link, Listener, Network } from "./network.js";

/** How often it looks for Wi-Fi that came late or an address that is another now: nothing in Node tells. A choice. */
const LOOK: Millis = seconds(10);

export interface MulticastParts {
  readonly place: Place;
  /** Whether the runtime listens on this address of this computer. */
  readonly isServed: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sockets on all interfaces under which the runtime is reached, as they come and go. */
export class MulticastNetwork implements Network {
  readonly port: number;
  private sockets = new Map<string, MulticastLink>();
  private listener: Listener | undefined;
  private readonly troubles = new Set<string>();
  private cancel: Cancel = () => undefined;

  constructor(private readonly parts: MulticastParts) {
    this.port = parts.place.port;
  }

  links(): readonly Link[] {
    return [...this.sockets.values()];
  }

  open(listener: Listener): void {
    this.listener = listener;
    this.look();
  }

  async close(): Promise<void> {
    this.listener = undefined;
    this.cancel();
    await Promise.all([...this.sockets.values()].map((link) => link.close()));
    this.sockets.clear();
  }

  /** One whose socket could not be had is tried again at every look. */
  private look(): void {
    const now = new Map(this.interfaces().map((each) => [markOf(each), each]));
    const gone = [...this.sockets].filter(([mark, link]) => !now.has(mark) || !link.works);
    const fresh = [...now].filter(([mark]) => !this.sockets.get(mark)?.works);
    for (const [mark, link] of gone) {
      this.sockets.delete(mark);
      void link.close();
    }
    for (const [mark, on] of fresh) this.sockets.set(mark, this.linkOn(mark, on));
    this.cancel = this.parts.clock.after(LOOK, () => this.lookAgain());
    if (gone.length + fresh.length > 0) this.listener?.changed();
  }

  private lookAgain(): void {
    if (this.listener) this.look();
  }

  private interfaces(): Interface[] {
    const { place, isServed } = this.parts;
    return interfacesOf(place.interfaces(), isServed);
  }

  private linkOn(mark: string, on: Interface): MulticastLink {
    return new MulticastLink({
      on,
      port: this.port,
      heard: (message, link, from) => this.listener?.heard(message, link, from),
      trouble: (what) => this.tell(mark, what),
      well: () => void this.troubles.delete(mark),
    });
  }

  /** Once, until a message goes out there again. */
  private tell(mark: string, what: string): void {
    if (this.troubles.has(mark)) return;
    this.troubles.add(mark);
    this.parts.log("warn", `agents may not find this runtime by --discover on ${what}; tried again`);
  }
}

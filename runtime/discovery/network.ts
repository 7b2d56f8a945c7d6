/** Where a message came from. */
export interface Sender {
  readonly address: string;
  readonly port: number;
}

/** One interface of this computer in one family of addresses. */
export interface Link {
  /** Under which neighbours on it reach the runtime. */
  readonly addresses: readonly string[];
  /** To all who listen there. What goes wrong is told, not thrown. */
  multicast(message: Buffer): void;
  unicast(message: Buffer, to: Sender): void;
}

export interface Listener {
  /** From a neighbour on that link, or from this computer itself. */
  heard(message: Buffer, link: Link, from: Sender): void;
  /** Links came or went, or have other addresses. */
  changed(): void;
}

/** The links that lead to other computers. */
export interface Network {
  /** From which multicast DNS is spoken: whoever asks from another wants an answer of its own. */
  readonly port: number;
  links(): readonly Link[];
  open(listener: Listener): void;
  /** Resolves when what was sent is on its way. */
  close(): Promise<void>;
}

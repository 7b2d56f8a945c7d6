import type { Aggregation } from "../../../runtime/store/bucket.js";
import type { Quantity } from "../../../runtime/store/measurements.js";
import type { Row } from "./rows.js";

export interface Question {
  readonly hours: number;
  readonly buckets: number;
  readonly aggregation: Aggregation;
  readonly endMs: number;
  readonly place: string;
  readonly quantity: Quantity;
}

/** One way to keep the rows and to answer. `ask` gives how many buckets have data. */
export interface Peer {
  ask(question: Question): Promise<number>;
  close(): Promise<void>;
}

export type OpenPeer = (folder: string, rows: Iterable<Row>) => Promise<Peer>;

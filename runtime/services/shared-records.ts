import type { Tainted } from "../tools/taint.js";
import type { Identity } from "../wire/identity.js";

/** What a memory and the other record have in common. Which fields those are, the keeper says. */
export interface SharedFields {
  readonly title: string;
  readonly content?: string;
  readonly due_at?: string | null;
  readonly completed_at: string | null;
  readonly list_name?: string | null;
}

/** A record of another tool that a memory is. Both have the same id. */
export interface SharedRecord extends Tainted {
  readonly key: string;
  /** Its number in its journal. */
  readonly id: number;
  readonly fields: SharedFields;
  readonly isDeleted: boolean;
  readonly updated_at: string | null;
}

export interface SharedActor extends Tainted {
  readonly by: string;
  readonly identity: Identity;
  readonly owner: string;
  readonly chat?: string;
  /** Whose records that one sees, and whose come first where a name fits several. */
  readonly view: { sees(owner: string): boolean; readonly first: string | undefined };
}

/** Keeps the records that memories of some sections are: a task is one record, seen by task_tool and as a memory. */
export interface RecordKeeper {
  /** Its journal. */
  readonly log: string;
  /** Which fields of a memory are the record's. */
  readonly fields: readonly (keyof SharedFields)[];
  /**
   * That `create` would take it. Rejects with INVALID_ARGUMENT for what no such record can be, ALREADY_EXISTS where any record of
   * anybody has the key, and with what its tool throws where there is no room.
   */
  assertNew(key: string, wanted: SharedFields, actor: SharedActor): Promise<void>;
  /** For what `assertNew` takes. Throws what that does. */
  create(key: string, wanted: SharedFields, actor: SharedActor): Promise<SharedRecord>;
  get(id: number): Promise<SharedRecord | undefined>;
  /** By its id; one that is not deleted. */
  find(key: string): Promise<SharedRecord | undefined>;
  /** Throws INVALID_ARGUMENT for what such a record cannot become. */
  assertChange(record: SharedRecord, set: Partial<SharedFields>): void;
  /** For a change that `assertChange` takes. */
  change(record: SharedRecord, set: Partial<SharedFields>, actor: SharedActor): Promise<SharedRecord>;
  /** One that is deleted stays so. */
  delete(record: SharedRecord, actor: SharedActor): Promise<void>;
  /** Takes it out of memory: it is erased of the journal. */
  drop(id: number): Promise<void>;
  /** Told of each record that has changed, its own changes too. */
  watch(listener: (record: SharedRecord) => void): void;
}

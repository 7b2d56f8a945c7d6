import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import type { Cancel } from "../../../drivers/ports.js";
import { TendrilError } from "../../../runtime/errors.js";
import type {
  BackupStore,
  CallRequest,
  Doctor,
  EraseListener,
  ResourceContent,
  Route,
  RuntimeApi,
  ToolListing,
  Upload,
  UploadRoute,
  WrittenCall,
} from "../../../runtime/tools/host.js";
import { Stops } from "../../../runtime/tools/late-calls.js";
import { RateLimit } from "../../../runtime/tools/rate-limit.js";
import type { Identity, Role } from "../../../runtime/wire/identity.js";

const listing = (name: string, properties: object, outputSchema: object): ToolListing => ({
  name,
  description: `fixture ${name}`,
  inputSchema: { type: "object", properties, additionalProperties: false },
  outputSchema: { ...outputSchema },
  title: name,
  annotations: { openWorldHint: false },
});

const READING = { type: "object", properties: { value: { type: "number" }, timestamp: { type: "string" } } };
const DOSE = { type: "object", properties: { dispensed: { type: "number" } } };
const STATUS = { anyOf: [READING, DOSE] };

export const TOOLS: readonly ToolListing[] = [
  listing("read_moisture", {}, READING),
  listing("dispense_water", { ml: { type: "integer" } }, DOSE),
  listing("write_plant_status", {}, STATUS),
  listing("fetch_notes", { length: { type: "integer" } }, { type: "object" }),
];

export const PHOTO = {
  uri: "photo://p1/2026-06-01T08:00:00.000Z.jpg",
  bytes: Uint8Array.from([0xff, 0xd8, 0xff, 0xd9]),
};

const PHOTO_ROUTE: Route = {
  path: "/photos/",
  may: "signed link",
  answer: ({ path, query }) => {
    if (path !== "/photos/one.jpg" || query.get("sig") !== "good")
      throw new TendrilError("NOT_FOUND", "there is no such photo");
    return { type: "image/jpeg", body: PHOTO.bytes };
  },
};

const structured = (value: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

/** Answers from memory and keeps what it was asked. A dose runs until the test ends it or the caller cancels. */
/** A machine without backups. */
export const NO_BACKUPS: BackupStore = {
  folder: "/nowhere",
  list: async () => [],
  make: () => Promise.reject(new TendrilError("BACKUP_FAILED", "there is no disk")),
  open: () => Promise.reject(new TendrilError("NOT_FOUND", "there is none")),
};

export const NO_DOCTOR: Doctor = {
  look: () => Promise.reject(new TendrilError("DOCTOR_FAILED", "there is no doctor")),
};

export class FixtureHost implements RuntimeApi {
  readonly meter = new RateLimit(100_000, new SimulatedClock());
  readonly stops = new Stops();
  readonly calls: CallRequest[] = [];
  readonly offs: string[] = [];
  readonly watchers = new Set<(uri: string) => void>();
  private readonly waiting: (() => void)[] = [];
  private onCall: (() => void) | undefined;

  stopsBefore(): number {
    return this.stops.beforeThisTurn;
  }

  isUrgent({ name }: WrittenCall): boolean {
    return name === "stop_all";
  }

  listTools(_identity: Identity): readonly ToolListing[] {
    return TOOLS;
  }

  async callTool(request: CallRequest): Promise<CallToolResult> {
    if (request.name !== "read_moisture") this.note(request);
    switch (request.name) {
      case "read_moisture":
        return structured({ value: 0.4321, timestamp: "2026-06-01T08:00:00.000Z" });
      case "write_plant_status":
        return structured({ proceed: false });
      case "fetch_notes":
        return structured({ content: "x".repeat((request.arguments as { length: number }).length) });
      case "dispense_water":
        return this.dose(request);
      default:
        throw new Error("secret detail of a defect");
    }
  }

  readonly resources = {
    list: async () => [{ uri: PHOTO.uri, name: "photo of p1", mimeType: "image/jpeg" }],
    read: async (uri: string): Promise<ResourceContent | undefined> => {
      if (uri !== PHOTO.uri) return undefined;
      return { mimeType: "image/jpeg", blob: Buffer.from(PHOTO.bytes).toString("base64") };
    },
    watch: (changed: (uri: string) => void) => {
      this.watchers.add(changed);
      return () => void this.watchers.delete(changed);
    },
  };

  readonly routes: Route[] = [PHOTO_ROUTE];

  /** What was uploaded. */
  readonly files: Upload[] = [];
  readonly uploads: UploadRoute[] = [
    {
      path: "/media",
      may: { role: "human" },
      mostBytes: 1000,
      take: async (upload) => ({ count: this.files.push(upload) }),
    },
  ];

  /** Says that a resource has changed. */
  changed(uri: string): void {
    for (const tell of this.watchers) tell(uri);
  }

  readonly backups = NO_BACKUPS;

  readonly doctor = NO_DOCTOR;

  /** By token. */
  readonly persons = new Map<string, string>();

  personOf(token: string): string | undefined {
    return this.persons.get(token);
  }

  /** What the server does before a person is erased. */
  erase: EraseListener = () => Promise.reject(new Error("no server"));

  onErase(listener: EraseListener): Cancel {
    this.erase = listener;
    return () => undefined;
  }

  async switchEverythingOff(by: string): Promise<void> {
    this.offs.push(by);
  }

  health(): object {
    return { status: "ok", version: "0.1.0" };
  }

  /** Resolves when the next call other than a reading has come in. */
  called(): Promise<CallRequest> {
    return new Promise((resolve) => {
      this.onCall = () => {
        const last = this.calls.at(-1);
        if (last) resolve(last);
      };
    });
  }

  /** Lets every running dose end. */
  finishDoses(): void {
    for (const finish of this.waiting.splice(0)) finish();
  }

  private note(request: CallRequest): void {
    this.calls.push(request);
    this.onCall?.();
  }

  private async dose({ signal, progress }: CallRequest): Promise<CallToolResult> {
    progress(5, 20, "5 of 20 ml");
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      signal().addEventListener("abort", () => resolve());
    });
    progress(20, 20, "20 of 20 ml");
    return structured({ dispensed: 20 });
  }
}

/** The token that a store in `folder`/tokens made for `role`. */
export const tokenOf = async (folder: string, role: Role | string): Promise<string> =>
  (await readFile(join(folder, "tokens", role), "utf8")).trim();

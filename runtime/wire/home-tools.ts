import { z } from "zod";

/** Results of the home's tools, as agents and `tendril home` read them (docs/home.md). */

/** What became of a call of a service. */
const serviceStatus = z.enum([
  ...["success", "blocked", "pending", "rejected", "unconfirmed", "failed", "unknown"],
] as const);

const touchedEntity = z.object({
  entity_id: z.string(),
  friendly_name: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable().describe("null: not known, or nothing was sent"),
});

export const serviceResult = z.object({
  status: serviceStatus,
  reason: z.string().optional(),
  request_id: z.int().optional().describe("with pending: repeat the call with the same idempotency key"),
  expires_in_s: z.int().optional().describe("with pending: the time that the person has left"),
  entities: z.array(touchedEntity),
});
export type ServiceResult = z.output<typeof serviceResult>;

/** The part of it that says: repeat the call, a person is asked. */
export const pendingService = z.object({
  status: z.literal("pending"),
  request_id: z.int(),
  expires_in_s: z.int(),
});

export const entityState = z.object({
  entity_id: z.string(),
  state: z.string(),
  attributes: z.record(z.string(), z.unknown()),
  last_changed: z.string(),
  last_updated: z.string(),
});
export type EntityState = z.output<typeof entityState>;

export const entityHistory = z.object({
  changes: z.array(z.object({ state: z.string(), timestamp: z.string() })),
  coverage: z.object({
    from: z.string().nullable().describe("the oldest that Home Assistant has of it; null: nothing"),
    to: z.string().nullable(),
    recorded: z.int().describe("changes in that time; fewer are shown if there are many"),
    complete: z.boolean(),
  }),
});
export type EntityHistory = z.output<typeof entityHistory>;

/** An entity that the owner listed, for the owner. */
const listedEntity = z.object({
  entity_id: z.string(),
  name: z.string(),
  may: z.enum(["see", "act"]),
  state: z.string().nullable().describe("null: Home Assistant does not have it now"),
  exists: z.boolean(),
  opaque: z.string().nullable().describe("why it may do more than its name says"),
  services: z.array(
    z.object({ services: z.array(z.string()), verdict: z.enum(["allowed", "confirm", "opt_in", "blocked"]) }),
  ),
});

export const homeReport = z.object({
  version: z.string().describe("Home Assistant's"),
  connected_since: z.string(),
  entities: z.array(listedEntity),
  count: z.int(),
  unread: z.array(z.string()).describe("automations and scripts whose text nobody can read"),
  unread_histories: z
    .array(z.string())
    .default([])
    .describe("whose history Home Assistant did not give the last time"),
});
export type HomeReport = z.output<typeof homeReport>;

export const homeSuggestion = z.object({
  yaml: z.string().describe("for tendril.yaml; a person reads it first"),
  suggested: z.int(),
  left_out: z.int(),
});
export type HomeSuggestion = z.output<typeof homeSuggestion>;

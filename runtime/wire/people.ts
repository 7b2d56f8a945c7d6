import { z } from "zod";

/** Who lives here, and how people and agents talk. All times are UTC, ISO 8601. */

const person = z.object({
  user_id: z.string(),
  name: z.string().nullable(),
  zone: z.string(),
  language: z.string().nullable(),
  tokens: z.array(z.string()).describe("those that only this person uses"),
  configured: z.boolean(),
  records: z.int().nullable().describe("in all journals, deleted ones too; null: not counted"),
});
export type Person = z.output<typeof person>;

export const peopleList = z.object({ people: z.array(person) });
export type PeopleList = z.output<typeof peopleList>;

/** A page of everything that is kept about a person. */
export const personalLines = z.object({
  user_id: z.string(),
  lines: z.array(z.object({ journal: z.string(), line: z.record(z.string(), z.unknown()) })),
  next: z.int().nullable().describe("`skip` of the next page"),
});
export type PersonalLines = z.output<typeof personalLines>;

export const erasedPerson = z.object({
  user_id: z.string(),
  erased: z.literal(true),
  records: z.int(),
  set_aside: z.array(z.string()).describe("damaged files of the state folder, which may still say something"),
});
export type ErasedPerson = z.output<typeof erasedPerson>;

/** A hold or faults that were lifted. An act that found nothing to lift changed nothing, and is not recorded. */
export const lifted = z.object({ timestamp: z.string(), success: z.boolean(), changed: z.boolean() });
export type Lifted = z.output<typeof lifted>;

export const sentMessage = z.object({ timestamp: z.string(), message_id: z.string() });
export type SentMessage = z.output<typeof sentMessage>;

const message = z.object({
  message_id: z.string(),
  in_reply_to: z.string().nullable(),
  timestamp: z.string(),
  delivered_at: z.string().nullable(),
  read_at: z.string().nullable(),
  content: z.string().optional(),
});
export type Message = z.output<typeof message>;

export const messagesFromHuman = z.object({ messages: z.array(message) });
export type MessagesFromHuman = z.output<typeof messagesFromHuman>;
export const messagesFromAgent = z.object({
  messages: z.array(
    message.extend({
      from: z.enum(["agent", "runtime"]),
      notification: z.record(z.string(), z.unknown()).optional().describe("the same as data"),
      over_at: z.string().optional().describe("since when what it tells is not so any more"),
    }),
  ),
});
export type MessagesFromAgent = z.output<typeof messagesFromAgent>;

/** A call of an agent that needs a person's yes. */
const asked = {
  id: z.int(),
  tool: z.string(),
  plant: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()),
  words: z.string().describe('what would be done, after "wants to"'),
  agent: z.string(),
  instance: z.string().optional(),
  user_id: z
    .string()
    .optional()
    .describe('whose request it is: a person, who alone is shown all of it, or "household"'),
  rule: z.enum(["always", "once_per_cycle"]),
  after_reading: z
    .array(z.string())
    .optional()
    .describe("where words of strangers came from that the agent had read before"),
  scope: z.string().optional().describe("how far a yes goes; absent: for this call alone"),
  cycle: z.int().optional(),
  expires_at: z.string(),
};

export const pendingApproval = z.object({
  ...asked,
  expires_in_s: z.int().describe("real time that is left"),
});
export type PendingApproval = z.output<typeof pendingApproval>;

const approval = z.object({
  ...asked,
  expires_in_s: z.int().optional().describe("real time that is left, while it is pending"),
  timestamp: z.string(),
  state: z.enum(["pending", "approved", "denied", "expired", "used"]),
  answered_at: z.string().nullable(),
  answered_by: z.string().nullable(),
  reason: z.string().nullable(),
  used_at: z.string().nullable(),
});
export type Approval = z.output<typeof approval>;

export const approvalList = z.object({ approvals: z.array(approval) });
export type ApprovalList = z.output<typeof approvalList>;

export const answeredApproval = z.object({
  timestamp: z.string(),
  approved: z.boolean(),
  approval: pendingApproval,
});
export type AnsweredApproval = z.output<typeof answeredApproval>;

/** Details of the refusal APPROVAL_NEEDED: the same call again waits for the answer. */
export const approvalNeeded = z.object({
  id: z.int(),
  expires_at: z.string(),
  /** "14:05 UTC", by the plant's clock, for people. */
  until: z.string(),
  expires_in_s: z.number().min(0),
  /** The command for a person. */
  approve_with: z.string().optional(),
});
export type ApprovalNeeded = z.output<typeof approvalNeeded>;

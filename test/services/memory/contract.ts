import type { FamilyContract } from "../contract.js";

const ITEM =
  "tags? people? attendees? event_start_at? event_end_at? timezone? date_bucket? due_at? completed_at? location? coordinates? media_type? media_path? attachments? external_id? external_url? list_name? metadata?";
const STORED =
  "id source title content section created_at updated_at tags status people attendees event_start_at event_end_at timezone date_bucket due_at completed_at location coordinates media_type media_path attachments external_id external_url list_name chat_id user_id metadata";
const EVENT = {
  source: "CAPTURE",
  title: "Repotting",
  content: "Repot the fern with @Ana",
  section: "EVENT",
  status: "ACTIVE",
  tags: ["plants"],
  people: ["Juan"],
  attendees: ["Ana"],
  event_start_at: "2026-06-02T10:00:00Z",
  event_end_at: "2026-06-02T11:00:00Z",
  timezone: "America/Bogota",
  date_bucket: "2026-06-02",
  due_at: "2026-06-03T10:00:00Z",
  completed_at: "2026-06-04T10:00:00Z",
  location: "Balcony",
  coordinates: [4.6, -74.1],
  media_type: "image/jpeg",
  media_path: "fern.jpg",
  attachments: ["receipt.pdf"],
  external_id: "event-1",
  external_url: "https://calendar.example.org/1",
  list_name: "Garden",
  metadata: { agent: "note_agent" },
};
const ID = "0b8f6a52-9d5c-4a0e-9a06-9f3f5cf0a001";

/** From seeds/001 (`add_memory` and its kin), 002 (profile), 003 (recall_user_context), 004 (MemoryItem), and CONTRACT-2. */
export const contract: FamilyContract = {
  toolset: "memory",
  tools: {
    add_memory: {
      parameters: "text",
      result: "timestamp id known",
      role: "agent",
      inCare: true,
      speaks: true,
      valid: { text: "it likes rain" },
      calls: [{ text: "It likes rain." }],
    },
    list_memories: {
      parameters: "n? offset?",
      defaults: { n: 20, offset: 0 },
      result: "count memories",
      role: "observer",
      valid: { n: 20, offset: 0 },
      calls: [{}],
    },
    forget_memory: {
      parameters: "id",
      result: "timestamp success",
      role: "human",
      valid: { id: 1 },
      calls: [{ id: 1 }],
    },
    save_memory: {
      parameters: `id? source title content section? created_at? updated_at? status? ${ITEM} user_id? chat_id?`,
      defaults: { section: "NOTE", status: "ACTIVE" },
      result: STORED,
      role: "agent",
      valid: {
        ...EVENT,
        id: ID,
        created_at: "2026-06-01T10:00:00Z",
        updated_at: "2026-06-01T10:00:00Z",
        user_id: "ana",
        chat_id: "phone",
      },
      calls: [
        { id: ID, source: "CAPTURE", title: "Juan", content: "A Juan le gusta el café" },
        { source: "IMPORT", title: "Repotting", content: "in peat", coordinates: [1, 2], metadata: { a: 1 } },
      ],
    },
    search_memories: {
      parameters: "query? section? tags? people? user_id? from? to? status? limit? offset?",
      defaults: { status: "ACTIVE", limit: 10, offset: 0 },
      result: "items count",
      role: "agent",
      valid: {
        query: "fern",
        section: "NOTE",
        tags: ["plants"],
        people: ["Ana"],
        user_id: "ana",
        from: "2026-06-01",
        to: "2026-06-30",
        status: "ACTIVE",
        limit: 10,
        offset: 0,
      },
      calls: [{}, { query: "cafe" }],
    },
    update_memory: {
      parameters: `id source? title? content? section? status? ${ITEM} chat_id?`,
      result: STORED.split(" ")
        .filter((key) => !["created_at", "user_id"].includes(key))
        .map((key) => (["id", "updated_at"].includes(key) ? key : `${key}?`))
        .join(" "),
      role: "agent",
      valid: { id: ID, ...EVENT, chat_id: "phone" },
      calls: [{ id: ID, tags: ["coffee"] }],
    },
    delete_memory: {
      parameters: "id",
      result: "id title deleted",
      role: "agent",
      valid: { id: ID },
      calls: [{ id: ID }],
    },
    get_media_links: {
      parameters: "id",
      result: "links",
      role: "human",
      valid: { id: ID },
      calls: [{ id: ID }],
    },
    erase_memory: {
      parameters: "id",
      result: "id erased",
      role: "human",
      valid: { id: ID },
      calls: [{ id: ID }],
    },
    list_tags: {
      parameters: "user_id?",
      result: "tags",
      role: "human",
      valid: { user_id: "ana" },
      calls: [{}],
    },
    rename_tag: {
      parameters: "tag to merge? user_id?",
      defaults: { merge: false },
      result: "tag to memories",
      role: "human",
      valid: { tag: "plants", to: "garden", merge: true, user_id: "ana" },
      calls: [],
    },
    update_user_profile: {
      parameters: "category key value sensitivity? confidence? user_id?",
      defaults: { sensitivity: "private" },
      result: "stored",
      role: "agent",
      valid: {
        category: "preference",
        key: "preferred_temperature",
        value: 21,
        sensitivity: "public",
        user_id: "ana",
      },
      calls: [{ category: "preference", key: "preferred_temperature", value: "21 degrees" }],
    },
    get_user_profile: {
      parameters: "category? user_id?",
      result: "entries",
      role: "agent",
      valid: { category: "fact", user_id: "ana" },
      calls: [{}],
    },
    forget_profile_entry: {
      parameters: "category key user_id?",
      result: "category key user_id erased",
      role: "human",
      valid: { category: "fact", key: "preferred_temperature", user_id: "ana" },
      calls: [{ category: "preference", key: "preferred_temperature" }],
    },
    list_recalls: {
      parameters: "n? user_id?",
      defaults: { n: 20 },
      result: "recalls",
      role: "human",
      valid: { n: 20, user_id: "ana" },
      calls: [{}],
    },
    recall_user_context: {
      parameters: "topic",
      result: "message entries",
      role: "agent",
      valid: { topic: "temperature" },
      calls: [{ topic: "temperature" }, { topic: "nothing at all" }],
    },
  },
};

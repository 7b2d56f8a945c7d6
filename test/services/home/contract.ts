import type { FamilyContract } from "../contract.js";

/** From seeds/002 and CONTRACT-2, Home. Nothing of it succeeds without a bridge. */
export const contract: FamilyContract = {
  toolset: "home",
  config: 'home: { entities: { light.kitchen: { name: "Kitchen" } } }',
  tools: {
    get_ha_entities: {
      parameters: "domain? area?",
      result: "",
      role: "observer",
      valid: { domain: "light", area: "kitchen" },
      calls: [],
    },
    get_entity_state: {
      parameters: "entity_id",
      result: "entity_id state attributes last_changed last_updated",
      role: "observer",
      valid: { entity_id: "light.kitchen" },
      calls: [],
    },
    call_ha_service: {
      parameters: "domain service entity_id? service_data?",
      result: "status reason? request_id? expires_in_s? entities",
      role: "agent",
      valid: {
        domain: "light",
        service: "turn_on",
        entity_id: "light.kitchen",
        service_data: '{"brightness_pct": 40}',
      },
      calls: [],
    },
    get_entity_history: {
      parameters: "entity_id hours?",
      defaults: { hours: 24 },
      result: "changes coverage",
      role: "observer",
      valid: { entity_id: "light.kitchen", hours: 24 },
      calls: [],
    },
    show_home: {
      parameters: "limit? offset?",
      defaults: { limit: 200, offset: 0 },
      result: "version connected_since entities count unread unread_histories",
      role: "human",
      valid: { limit: 200, offset: 0 },
      calls: [],
    },
    suggest_home: {
      parameters: "area? label?",
      result: "yaml suggested left_out",
      role: "human",
      valid: { area: "kitchen", label: "plants" },
      calls: [],
    },
  },
};

/**
 * Calls of real models, copied from ../shared/small-model-bench/recorded (2026-11-22): the arguments are letter for letter
 * what the model wrote.
 */

/** Qwen2.5-Coder 1.5B, `qwen-1.5b-extra-keys.json`, reply 1: two parameters of log_thought in the status. */
export const STATUS_WITH_EMPTY_EXTRAS =
  '{"timestamp": "2026-11-22T19:23:00.063Z", "sensor_reading": 17375, "water_24h": 0, "light_today": 0, "plant_state": "healthy", "next_action_sequence": [{"order": 1, "action": "water", "value": 50}], "reasoning": "The plant is healthy and moist, so it needs water.", "uncertainties": "", "tags": []}';

/** Qwen2.5-Coder 0.5B, `qwen-0.5b-extra-key.json`, reply 1: a parameter too many within the plan, and it says something. */
export const STATUS_WITH_A_FILLED_EXTRA =
  '{"timestamp": "2026-11-22T19:18:00.061Z", "sensor_reading": 17369, "water_24h": 500, "light_today": 0, "plant_state": "healthy", "next_action_sequence": [{"order": 1, "action": "water", "value": 10, "reason": "millilitres for water, minutes for light"}], "reasoning": "correct the status and write it again."}';

/** Made by hand, `made-broken-json.json`: arguments that break off. */
export const BROKEN_OFF = '{"a": 1';

/** Qwen2.5-Coder 0.5B, `qwen-0.5b-calls-as-text.json`, reply 1, shortened: a call in a code block of the text. */
export const CALL_IN_A_CODE_BLOCK =
  '```json\n{\n  "name": "write_plant_status",\n  "arguments": {\n    "timestamp": "2026-11-22T18:50:00.068Z",\n    "sensor_reading": 17369,\n    "plant_state": "healthy",\n    "next_action_sequence": []\n  }\n}\n```';

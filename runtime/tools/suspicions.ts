/**
 * Signs in words of strangers that they were written for a model and not for a reader. Advisory: they are told to the agent
 * and the log, and nothing depends on them, since no list of signs knows every way to write an order.
 */
const SIGNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: "asks to ignore instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass|ignoriere|vergiss|ignora|olvida|esqueça|ignore[zm]?)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|above|previous|anweisungen|regeln|instrucciones|reglas|instruções|regras|consignes)\b/iu,
  },
  {
    name: "speaks as the system",
    pattern:
      /<\|?(?:im_start|im_end|system|assistant|user|endoftext)\|?>|\[\/?(?:INST|SYS|SYSTEM)\]|<<SYS>>|(?:^|["\n]|\\n)\s*(?:###? ?)?(?:system|assistant|developer)(?: (?:message|prompt|note|update))? ?:/iu,
  },
  {
    name: "speaks to a model",
    pattern:
      /\b(?:(?:attention|note|message|instructions?|reminder) (?:to|for) (?:the |any |all )?(?:ai|llm|assistant|agent|model|chatbot)s?|if you are an? (?:ai|llm|assistant|agent|language model|bot)|(?:dear|hey|hello) (?:ai|assistant|agent|chatgpt|claude|gemini)|as an ai\b|you are now (?:an?|in|called|my)\b|from now on,? you|act as (?:an?|the)|wenn du eine ki|si eres una ia|se você é uma ia)/iu,
  },
  {
    name: "names a tool",
    pattern:
      /\b(?:dispense_water|turn_on_light|turn_light|call_ha_service|sendemail|send_email|save_memory|update_user_profile|save_notes|add_task|scheduleagenttask|search_web|task_tool|list_tool|log_thought|tool_calls?|function_call)\b/i,
  },
  {
    name: "asks for secrets",
    pattern:
      /\b(?:send|reveal|print|show|repeat|tell|include|post|share|forward|leak|schicke|verrate|envía|revela|envie)\b.{0,40}\b(?:your|my|the|all|any|every|deine?|tus?|seus?) (?:\w+ )?(?:system prompt|instructions|prompt|rules|passwords?|tokens?|api keys?|secrets?|credentials|passwort|contraseña|senha)\b/iu,
  },
  {
    name: "asks to act unasked",
    pattern:
      /\b(?:without (?:asking|telling|confirmation|approval)|do not (?:tell|ask|mention|inform|notify)|don't (?:tell|ask|mention|inform|notify)|no need to (?:ask|confirm)|already (?:approved|authori[sz]ed|confirmed) (?:by|this)|(?:owner|user|person) (?:has )?(?:already )?(?:approved|authori[sz]ed|confirmed|agreed)|ohne (?:zu fragen|nachzufragen|rückfrage)|sin preguntar|sem perguntar)\b/iu,
  },
  {
    name: "has signs that do not show",
    pattern: /[\u{e0000}-\u{e007f}]|[\u200b\u2060\u202a-\u202e\u2066-\u2069]/u,
  },
];

/** A choice: longer results are few, and what is behind that is cut by most models. */
const LOOKED_AT = 200_000;

/** The signs in a text, by name. */
export function suspicionsIn(text: string): readonly string[] {
  const start = text.slice(0, LOOKED_AT);
  return SIGNS.filter(({ pattern }) => pattern.test(start)).map(({ name }) => name);
}

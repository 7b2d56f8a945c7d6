/** The first message of a cycle: all that differs from plant to plant and from cycle to cycle. */
export const OPENING = `{plant_info}
Time (UTC): {current_time}

{additional_context}

{plant_history}

It is time for a care cycle.`;

export const ACTION_TYPES = ["water", "light", "observe", "alert"] as const;

export interface Action {
  readonly timestamp: string;
  readonly type: (typeof ACTION_TYPES)[number];
  readonly details: Readonly<Record<string, unknown>>;
  readonly by: string;
}

export const ACTION_LOG = {
  name: "actions",
  fold: (_: Action | undefined, entry: Action): Action => entry,
  searchText: ({ type, details }: Action) => `${type}\n${JSON.stringify(details)}`,
};

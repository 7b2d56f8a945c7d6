import { OWNER } from "../../wire/identity.js";
import type { SessionView, TokenView } from "../../wire/owner-page.js";
import { type Changing, useAnswer, useShared } from "./context.tsx";
import { at } from "./figures.js";
import { Act, Careful, named } from "./parts.tsx";
import { allSessions, endSession, revokeToken, tokens } from "./session.js";

/** The browsers that are let in, and the way to close one. */
export function Sessions({ version, changed }: Changing) {
  const { words, names, view, clock, nowMs } = useShared();
  const sessions = useAnswer(allSessions, [version]);
  const end = (id: string) => () => endSession(id).then(changed);
  const isThis = ({ id }: SessionView) => id === view.session?.id;
  const near = (iso: string) => clock.near(at(iso), nowMs);
  const about = (session: SessionView) => {
    const begun = words.sessionOf(names.holder(session), near(session.made));
    return isThis(session) ? begun : `${begun}, ${words.tokens.used(near(session.used))}`;
  };
  return (
    <>
      <p class="quiet">{words.sessionsHow}</p>
      <ul>
        {sessions?.map((session) => (
          <li key={session.id}>
            <span class="list-text">
              {session.device} <span class="quiet block">{about(session)}</span>
            </span>
            {isThis(session) ? (
              <span class="quiet">{words.thisBrowser}</span>
            ) : (
              <Act run={end(session.id)} label={words.endSession(session.device)}>
                {words.revoke}
              </Act>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who has a key to the house, for its owner: programs, agents and people. No secret is shown, and none is made here. */
export function Tokens({ version, changed }: Changing) {
  const { words, names, clock, nowMs } = useShared();
  const say = words.tokens;
  const found = useAnswer(tokens, [version]);
  const about = ({ role, made, used }: TokenView) =>
    [
      say.roles[role] ?? role,
      say.made(clock.day(at(made))),
      used === null ? say.unused : say.used(clock.near(at(used), nowMs)),
    ].join(" · ");
  return (
    <>
      <p class="quiet">{say.about}</p>
      <ul>
        {found?.map((token) => (
          <li key={token.name}>
            <span class="list-text">
              {names.ofToken(token.name)} <code>{token.name}</code>{" "}
              <span class="quiet block">{about(token)}</span>
            </span>
            <Careful
              button={say.revoke}
              label={named(say.revoke, token.name)}
              warning={token.name === OWNER ? say.lastWayIn : say.ends}
              isGrave={token.name === OWNER}
              run={() => revokeToken(token.name).then(changed)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

import type { HomeSocket } from "../../../runtime/bridge/home/socket.js";
import type { TestHome } from "../tested-adapter.js";

/** Throw-away users of a home that lives in a temporary folder on loopback. */
const OWNER = { name: "Olivia Owner", username: "owner", password: "test-home-owner" };
const OTHERS = {
  resident: { name: "Rik Resident", password: "test-home-resident", group: "system-users" },
  viewer: { name: "Vera Viewer", password: "test-home-viewer", group: "system-read-only" },
} as const;
type Connect = (token: string) => Promise<HomeSocket>;

/** Makes three users, as a browser does, and a long-lived token for each. */
export async function onboard(url: string, connect: Connect): Promise<TestHome["tokens"]> {
  const client = `${url}/`;
  const created = await posted<{ auth_code: string }>(`${url}/api/onboarding/users`, {
    ...OWNER,
    client_id: client,
    language: "en",
  });
  const access = await accessToken(url, created.auth_code);
  const owner = await connect(access);
  for (const [username, { name, password, group }] of Object.entries(OTHERS)) {
    const { user } = (await owner.ask("config/auth/create", { name, group_ids: [group] })) as {
      user: { id: string };
    };
    await owner.ask("config/auth_provider/homeassistant/create", { user_id: user.id, username, password });
    await owner.ask("person/create", { name, user_id: user.id, device_trackers: [] });
  }
  owner.close();
  return {
    owner: await longLived(connect, access),
    resident: await longLived(connect, await loggedIn(url, "resident")),
    viewer: await longLived(connect, await loggedIn(url, "viewer")),
  };
}

/** An access token of 30 minutes. */
async function loggedIn(url: string, username: keyof typeof OTHERS): Promise<string> {
  const client = `${url}/`;
  const flow = { client_id: client, handler: ["homeassistant", null], redirect_uri: client };
  const { flow_id } = await posted<{ flow_id: string }>(`${url}/auth/login_flow`, flow);
  const { result } = await posted<{ result: string }>(`${url}/auth/login_flow/${flow_id}`, {
    client_id: client,
    username,
    password: OTHERS[username].password,
  });
  return accessToken(url, result);
}

async function accessToken(url: string, code: string): Promise<string> {
  const body = new URLSearchParams({ client_id: `${url}/`, grant_type: "authorization_code", code });
  const answer = await fetch(`${url}/auth/token`, { method: "POST", body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function longLived(connect: Connect, access: string): Promise<string> {
  const socket = await connect(access);
  const token = await socket.ask("auth/long_lived_access_token", { client_name: "test", lifespan: 30 });
  socket.close();
  return String(token);
}

async function posted<Answer>(url: string, body: object): Promise<Answer> {
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok)
    throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

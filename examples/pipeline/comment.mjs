// Posts summary.md as a comment of a pull request (GitHub) or a merge request (GitLab), or updates the comment that an
// earlier run has posted. Needs GITHUB_TOKEN and PULL_REQUEST, or GITLAB_TOKEN; the other variables are the job's own.
import { readFileSync } from "node:fs";

const { env } = process;
const body = readFileSync(env.SUMMARY_FILE ?? "summary.md", "utf8");
// An invisible line that names the stack.
const [mark] = body.split("\n", 1);

const { comments, comment, update, headers, user, authorOf } = env.GITLAB_CI ? gitlab() : github();
const own = await findOwn();
const [method, url] = own ? [update, `${comment}/${own.id}`] : ["POST", comments];
await request(method, url, { body });
console.log(own ? `Updated comment ${own.id}.` : "Posted a comment.");

function github() {
  const issues = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues`;
  const headers = { authorization: `Bearer ${env.GITHUB_TOKEN}`, accept: "application/vnd.github+json" };
  return {
    comments: `${issues}/${env.PULL_REQUEST}/comments`,
    comment: `${issues}/comments`,
    update: "PATCH",
    headers,
    user: `${env.GITHUB_API_URL}/user`,
    authorOf: ({ user }) => user?.login,
  };
}

function gitlab() {
  const request = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}`;
  const headers = { "private-token": env.GITLAB_TOKEN };
  return {
    comments: `${request}/notes`,
    comment: `${request}/notes`,
    update: "PUT",
    headers,
    user: `${env.CI_API_V4_URL}/user`,
    authorOf: ({ author }) => author?.username,
  };
}

// A comment of another person may begin with the same line.
async function findOwn() {
  const me = await ownName();
  for (let page = 1; ; page++) {
    const found = await request("GET", `${comments}?per_page=100&page=${page}`);
    const own = found.find((note) => note.body?.startsWith(mark) && authorOf(note) === me);
    if (own || found.length < 100) return own;
  }
}

async function ownName() {
  const response = await fetch(user, { headers: { ...headers, "user-agent": "pipeline" } });
  // A job's own key at GitHub belongs to an app, which may not ask for its name.
  if (response.status === 403 && !env.GITLAB_CI) return "github-actions[bot]";
  if (!response.ok) throw new Error(`GET ${user}: ${response.status} ${await response.text()}`);
  const { login, username } = await response.json();
  return login ?? username;
}

async function request(method, url, json) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json", "user-agent": "pipeline" },
    body: json && JSON.stringify(json),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return await response.json();
}

// The whole trip with the types that openapi-typescript makes, through openapi-fetch: ORIGIN KEY TARGET.
import createClient from "openapi-fetch";
import type { components, paths } from "./pagegrade_generated";

const [origin, key, target] = process.argv.slice(2) as [string, string, string];
const api = createClient<paths>({ baseUrl: origin, headers: { Authorization: `Bearer ${key}` } });
const form = {
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  bodySerializer: (body: object) => new URLSearchParams(Object.entries(body).map(([name, value]) => [name, `${value}`])),
};

function need<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Error(`${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}

function check(holds: boolean, what: unknown): void {
  if (!holds) throw new Error(JSON.stringify(what));
}

// An update is partial: each of these must be one by its type.
const updates: components["schemas"]["UpdateReportForm"][] = [{ privacy: 2, password: "correct horse" }, {}, { privacy: 0 }];

async function main(): Promise<void> {
  const made = need(await api.POST("/api/v1/reports", { body: { url: target, privacy: 1 }, ...form })).data;
  const list = need(await api.GET("/api/v1/reports", { params: { query: { per_page: 100, sort: "desc" } } })).data;
  const path = { id: made.id };
  const shown = need(await api.GET("/api/v1/reports/{id}", { params: { path } })).data;
  const privacies: number[] = [];
  for (const body of updates) {
    privacies.push(need(await api.PUT("/api/v1/reports/{id}", { params: { path }, body })).data.privacy);
  }
  const gone = need(await api.DELETE("/api/v1/reports/{id}", { params: { path } }));
  check(list.some((item) => item.id === made.id), list);
  check(shown.url === target && !Number.isNaN(Date.parse(shown.created_at)), shown);
  check(privacies.join() === "2,2,0", privacies);
  check(gone.deleted && gone.id === made.id, gone);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

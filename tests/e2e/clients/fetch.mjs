// The six calls with fetch, as a web page or a Node program makes them.
const [origin, key, target] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };

async function call(name, method, path, fields) {
  const options = { method, headers: { ...headers } };
  if (fields) options.body = new URLSearchParams(fields);
  else if (method === "GET") options.headers.Accept = "application/json";
  const answer = await fetch(origin + path, options);
  const body = await answer.json();
  console.log(JSON.stringify({ call: name, status: answer.status, type: answer.headers.get("content-type"), body }));
  return body;
}

const made = await call("create", "POST", "/api/v1/reports", { url: target, privacy: "0" });
const path = `/api/v1/reports/${made.data.id}`;
await call("list", "GET", "/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10");
await call("show", "GET", path);
await call("update", "PUT", path, { privacy: "2", password: "pässword &=+%", results: "0" });
await call("delete", "DELETE", path);
await call("account", "GET", "/api/v1/account");

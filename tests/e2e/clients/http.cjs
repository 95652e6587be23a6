// The six calls with node:http on one kept connection, as axios and older libraries make them.
const http = require("node:http");
const querystring = require("node:querystring");

const [origin, key, target] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function call(name, method, path, fields) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: "application/json, text/plain, */*", "User-Agent": "axios/1.7.9" };
    const body = fields && querystring.stringify(fields);
    if (body) headers["Content-Type"] = "application/x-www-form-urlencoded;charset=utf-8";
    // No Content-Length: Node then sends the body in chunks.
    const request = http.request(origin + path, { method, headers, agent }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => {
        const read = JSON.parse(Buffer.concat(parts).toString("utf8"));
        const type = answer.headers["content-type"];
        console.log(JSON.stringify({ call: name, status: answer.statusCode, type, body: read }));
        resolve(read);
      });
    });
    request.on("error", reject);
    if (body) request.write(body);
    request.end();
  });
}

(async () => {
  const made = await call("create", "POST", "/api/v1/reports", { url: target, privacy: 0 });
  const path = `/api/v1/reports/${made.data.id}`;
  await call("list", "GET", "/api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10");
  await call("show", "GET", path);
  await call("update", "PUT", path, { privacy: 2, password: "pässword &=+%", results: 0 });
  await call("delete", "DELETE", path);
  await call("account", "GET", "/api/v1/account");
  agent.destroy();
})();

// Draws the description of the API. The key that is typed in stays in this page's memory and is gone with it.
"use strict";

// Where the service is: at the root of its host or below a path.
const root = new URL("../../", document.currentScript.src);

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);

// Swagger UI keeps the fragment of the address for itself, so the focus has to be moved by hand.
document.querySelector(".skip").addEventListener("click", () => document.getElementById("main").focus());

// Examples are for reading only. Forms filled with them would request page 2 of a short list, change a report only while it
// has the ETag of the example, and send the same Idempotency-Key twice.
const emptyForms = (description) => {
  const methods = Object.values(description.paths).flatMap((path) => Object.values(path));
  const own = methods.flatMap((operation) => operation.parameters ?? []).filter((parameter) => !parameter.$ref);
  for (const parameter of [...own, ...Object.values(description.components.parameters ?? {})]) {
    if (parameter.required) continue;
    const examples = Object.values(parameter.examples ?? {}).map((example) => example.value);
    if (parameter.example !== undefined) examples.unshift(parameter.example);
    delete parameter.example;
    delete parameter.examples;
    if (examples.length) parameter.description += ` For example: ${examples.map((value) => `\`${value}\``).join(", ")}.`;
  }
  for (const [schemaName, schema] of Object.entries(description.components.schemas)) {
    if (!schemaName.endsWith("Form")) continue;
    for (const [name, property] of Object.entries(schema.properties)) {
      if (schema.required?.includes(name)) continue;
      // Without an example Swagger UI would make one up.
      property.examples = property.enum ? undefined : [""];
    }
  }
  return description;
};

fetch(new URL("api/v1/openapi.json", root))
  .then((answer) => {
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return answer.json();
  })
  .then((description) => {
    // Calls go to where this page came from, whatever the installation is called outside.
    description.servers = [{ url: root.pathname.replace(/(.)\/$/, "$1") }];
    // What is sent to webhooks cannot be tried, and their section has a heading of a wrong level.
    delete description.webhooks;
    SwaggerUIBundle({
      spec: emptyForms(description),
      dom_id: "#api",
      deepLinking: false, // its links lie inside buttons, where no screen reader finds them
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      docExpansion: "list",
      filter: true,
      persistAuthorization: false,
      validatorUrl: null,
    });
  })
  .catch(() => {
    document.getElementById("broken").hidden = false;
  })
  .finally(() => {
    document.getElementById("loading").hidden = true;
  });

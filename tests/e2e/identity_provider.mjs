// An OpenID Connect provider that others wrote, for one run: node identity_provider.mjs PORT
import { Provider } from "oidc-provider";
const port = Number(process.argv[2]), issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [{
    client_id: "pagegrade",
    client_secret: "a secret: of the client & more",
    redirect_uris: ["https://reports.example.org/single-sign-on/back"],
    post_logout_redirect_uris: ["https://reports.example.org/sign-in"],
  }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  scopes: ["openid", "offline_access"],
  pkce: { required: () => true },
  cookies: { keys: ["only for tests"] },
  findAccount: (_, sub) => ({
    accountId: sub,
    claims: () => ({ sub, name: "Bob", email: "bob@example.org", email_verified: true, groups: ["design"] }),
  }),
});
provider.listen(port, "127.0.0.1", () => console.log("ready"));

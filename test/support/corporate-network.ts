import { createServer as createHttpServer, request as sendHttp } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { generate } from "selfsigned";
import type { Service } from "./config.js";
import { closeLater, openFolder } from "./folder.js";
import { portOf } from "./port-of.js";

/** A service with the certificate of an own authority, whose name only an HTTP proxy can resolve. */
export interface CorporateNetwork extends Service {
  /** The address of the proxy, with the user and password that it requires. */
  readonly proxy: string;
  readonly password: string;
  /** The address of the proxy without them. */
  readonly anonymousProxy: string;
  readonly host: string;
  /** The file with the authority's certificate. */
  readonly authority: string;
  /** Returns what the proxy has been asked since the last call, as `CONNECT host:port 200`. */
  takeTunnels(): string[];
}

const HOST = "api.corporate.test";
const PASSWORD = "canary-of-the-proxy";

/** Puts a service behind TLS and a proxy. Both stop at the end of the test file at the latest. */
export async function openCorporateNetwork(behind: Service): Promise<CorporateNetwork> {
  const { port, pathname } = new URL(behind.baseUrl);
  const certificate = await generate([{ name: "commonName", value: HOST }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: HOST }] },
    ],
  });
  const folder = openFolder();
  folder.write({ "authority.pem": certificate.cert });

  // The sandbox only serves requests for its own host, so each request is sent anew.
  const service = createHttpsServer(
    { key: certificate.private, cert: certificate.cert },
    (incoming, outgoing) => {
      const { method, url: path } = incoming;
      const { host: _, ...headers } = incoming.headers;
      const request = sendHttp({
        host: "127.0.0.1",
        port,
        method,
        path,
        headers,
      });
      request.on("response", (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      request.on("error", () => outgoing.destroy());
      incoming.pipe(request);
    },
  );
  const servicePort = await listen(service);

  let tunnels: string[] = [];
  const tunnelled = new Set<Duplex>();
  const wanted = `Basic ${Buffer.from(`user:${PASSWORD}`).toString("base64")}`;
  const proxy = createHttpServer((_, response) => response.writeHead(501).end());
  proxy.on("connect", (request, socket) => {
    const allowed = request.headers["proxy-authorization"] === wanted;
    tunnels.push(`CONNECT ${request.url} ${allowed ? 200 : 407}`);
    if (!allowed || request.url !== `${HOST}:443`) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    const upstream = connect(servicePort, "127.0.0.1");
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
    tunnelled.add(socket);
    upstream.pipe(socket).pipe(upstream);
  });
  const proxyPort = await listen(proxy);
  closeLater(() => {
    for (const socket of tunnelled) socket.destroy();
    for (const server of [service, proxy]) server.close();
  });

  return {
    apiKey: behind.apiKey,
    baseUrl: `https://${HOST}${pathname}`,
    host: HOST,
    proxy: `http://user:${PASSWORD}@127.0.0.1:${proxyPort}`,
    password: PASSWORD,
    anonymousProxy: `http://127.0.0.1:${proxyPort}`,
    authority: join(folder.path, "authority.pem"),
    takeTunnels() {
      const taken = tunnels;
      tunnels = [];
      return taken;
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return portOf(server);
}

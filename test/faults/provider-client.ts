import { createRequire } from "node:module";

/*
 * The engine's side of the provider protocol: one method for each hook, with properties as plain objects and the errors
 * that the engine derives.
 */

const require = createRequire(import.meta.url);
const grpc: typeof import("@grpc/grpc-js") = createRequire(require.resolve("@pulumi/pulumi"))(
  "@grpc/grpc-js",
);
const pb: typeof import("@pulumi/pulumi/proto/provider_pb.js") = require("@pulumi/pulumi/proto/provider_pb");
const services: typeof import("@pulumi/pulumi/proto/provider_grpc_pb.js") = require("@pulumi/pulumi/proto/provider_grpc_pb");
const engines: typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js") = require("@pulumi/pulumi/proto/engine_grpc_pb");
const {
  Status,
}: typeof import("@pulumi/pulumi/proto/status_pb.js") = require("@pulumi/pulumi/proto/status_pb");
const { Struct }: typeof import("google-protobuf/google/protobuf/struct_pb.js") = createRequire(
  require.resolve("@pulumi/pulumi"),
)("google-protobuf/google/protobuf/struct_pb");
const { Empty }: typeof import("google-protobuf/google/protobuf/empty_pb.js") = createRequire(
  require.resolve("@pulumi/pulumi"),
)("google-protobuf/google/protobuf/empty_pb");

type GrpcStruct = import("google-protobuf/google/protobuf/struct_pb.js").Struct;
type LogRequest = import("@pulumi/pulumi/proto/engine_pb.js").LogRequest;
type EngineEmpty = import("google-protobuf/google/protobuf/empty_pb.js").Empty;

/** Properties of a resource, as sent. */
export type Properties = Readonly<Record<string, unknown>>;

export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly { readonly property: string; readonly reason: string }[];
}

export interface Difference {
  readonly changes: "some" | "none" | "unknown";
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** A failed hook. With `partial`, the engine keeps the resource and the reasons. */
export class HookFailure extends Error {
  constructor(
    message: string,
    /** The provider process has exited. */
    readonly hasExited: boolean,
    readonly partial?: {
      readonly id: string;
      readonly properties: Properties;
      readonly reasons: readonly string[];
    },
  ) {
    super(message);
  }
}

const structOf = (properties: Properties): GrpcStruct =>
  Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));

const propertiesOf = (struct: GrpcStruct | undefined): Properties => struct?.toJavaScript() ?? {};

/** A client of one provider process. */
export class ProviderClient {
  readonly #client: import("@pulumi/pulumi/proto/provider_grpc_pb.js").ResourceProviderClient;

  constructor(port: number) {
    this.#client = new services.ResourceProviderClient(
      `127.0.0.1:${port}`,
      grpc.credentials.createInsecure(),
      { "grpc.enable_retries": 0 },
    );
  }

  close(): void {
    this.#client.close();
  }

  async configure(config: Readonly<Record<string, string>>): Promise<void> {
    const request = new pb.ConfigureRequest();
    // The engine gives a plugin the settings of its own package, without the name of the package.
    const args = Object.entries(config).map(([key, value]) => [
      process.env["CAMPAIGN_FORM"] === "native" ? key.replace("cloudservices:", "") : key,
      value,
    ]);
    request.setArgs(structOf(Object.fromEntries(args)));
    await this.#call((done) => this.#client.configure(request, done));
  }

  async check(urn: string, olds: Properties, news: Properties): Promise<Checked> {
    const request = new pb.CheckRequest();
    request.setUrn(urn);
    request.setOlds(structOf(olds));
    request.setNews(structOf(news));
    const response = await this.#call<import("@pulumi/pulumi/proto/provider_pb.js").CheckResponse>((done) =>
      this.#client.check(request, done),
    );
    const failures = response
      .getFailuresList()
      .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
    return { inputs: propertiesOf(response.getInputs()), failures };
  }

  async diff(urn: string, id: string, oldOutputs: Properties, news: Properties): Promise<Difference> {
    const request = new pb.DiffRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setOlds(structOf(oldOutputs));
    request.setNews(structOf(news));
    const response = await this.#call<import("@pulumi/pulumi/proto/provider_pb.js").DiffResponse>((done) =>
      this.#client.diff(request, done),
    );
    const { DIFF_SOME, DIFF_NONE } = pb.DiffResponse.DiffChanges;
    const changes = response.getChanges();
    return {
      changes: changes === DIFF_SOME ? "some" : changes === DIFF_NONE ? "none" : "unknown",
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(urn: string, inputs: Properties): Promise<{ id: string; outputs: Properties }> {
    const request = new pb.CreateRequest();
    request.setUrn(urn);
    request.setProperties(structOf(inputs));
    const response = await this.#call<import("@pulumi/pulumi/proto/provider_pb.js").CreateResponse>((done) =>
      this.#client.create(request, done),
    );
    return { id: response.getId(), outputs: propertiesOf(response.getProperties()) };
  }

  async read(
    urn: string,
    id: string,
    outputs: Properties,
    inputs: Properties,
  ): Promise<{ id: string; outputs: Properties; inputs?: Properties }> {
    const request = new pb.ReadRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setProperties(structOf(outputs));
    request.setInputs(structOf(inputs));
    const response = await this.#call<import("@pulumi/pulumi/proto/provider_pb.js").ReadResponse>((done) =>
      this.#client.read(request, done),
    );
    const read = response.getInputs();
    return {
      id: response.getId(),
      outputs: propertiesOf(response.getProperties()),
      ...(read && { inputs: propertiesOf(read) }),
    };
  }

  async update(urn: string, id: string, oldOutputs: Properties, news: Properties): Promise<Properties> {
    const request = new pb.UpdateRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setOlds(structOf(oldOutputs));
    request.setNews(structOf(news));
    const response = await this.#call<import("@pulumi/pulumi/proto/provider_pb.js").UpdateResponse>((done) =>
      this.#client.update(request, done),
    );
    return propertiesOf(response.getProperties());
  }

  async delete(urn: string, id: string, outputs: Properties): Promise<void> {
    const request = new pb.DeleteRequest();
    request.setUrn(urn);
    request.setId(id);
    request.setProperties(structOf(outputs));
    await this.#call((done) => this.#client.delete(request, done));
  }

  #call<R>(
    send: (done: (error: import("@grpc/grpc-js").ServiceError | null, response: R) => void) => void,
  ): Promise<R> {
    return new Promise((resolve, reject) =>
      send((error, response) => (error ? reject(failureOf(error)) : resolve(response))),
    );
  }
}

function failureOf(error: import("@grpc/grpc-js").ServiceError): HookFailure {
  const { UNAVAILABLE, CANCELLED } = grpc.status;
  const isGone = error.code === UNAVAILABLE || error.code === CANCELLED;
  const [packed] = error.metadata.get("grpc-status-details-bin");
  if (!(packed instanceof Buffer)) return new HookFailure(error.details, isGone);
  const [any] = Status.deserializeBinary(packed).getDetailsList();
  if (any?.getTypeName() !== "pulumirpc.ErrorResourceInitFailed")
    return new HookFailure(error.details, isGone);
  const detail = pb.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  return new HookFailure(error.details, isGone, {
    id: detail.getId(),
    properties: propertiesOf(detail.getProperties()),
    reasons: detail.getReasonsList(),
  });
}

export interface LogLine {
  readonly urn: string;
  readonly text: string;
  readonly ephemeral: boolean;
  readonly severity: number;
}

/** Serves the part of the engine's service that a provider uses: the log. */
export async function openEngineLog(
  log: (line: LogLine) => void,
): Promise<{ readonly address: string; close(): void }> {
  const server = new grpc.Server();
  server.addService(engines.EngineService, {
    log: (call: { request: LogRequest }, done: (error: null, empty: EngineEmpty) => void) => {
      const { request } = call;
      log({
        urn: request.getUrn(),
        text: request.getMessage(),
        ephemeral: request.getEphemeral(),
        severity: request.getSeverity(),
      });
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

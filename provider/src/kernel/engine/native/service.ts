import type { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type * as messages from "@pulumi/pulumi/proto/provider_pb";
import {
  CheckFailure,
  CheckResponse,
  ConfigureResponse,
  CreateResponse,
  DiffResponse,
  GetSchemaResponse,
  InvokeResponse,
  ProviderHandshakeResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Properties } from "../../definition/properties.js";
import { type Diagnostic, render } from "../../diagnostics/diagnostic.js";
import { ConfigurationError, PartialFailure, textOf } from "../../diagnostics/errors.js";
import type { SettingsPlace } from "../../diagnostics/line.js";
import type { Session } from "../../stack/session.js";
import { VERSION } from "../../stack/version.js";
import { Empty, fromStruct, grpc, toStruct } from "../grpc.js";
import { ProviderProcess } from "../process.js";
import { representable } from "../representable.js";
import { received, withSecrets } from "../wire-values.js";
import { checkSettings, placeOf, settingsOf } from "./configuration.js";
import { toDiffResponse } from "./diff-response.js";
import type { ResourceHooks } from "./resource-hooks.js";
import type { CallFailure } from "./service-error.js";

/** The result of a function, in the kernel's form. */
export interface Invoked {
  readonly result?: Properties;
  readonly isSecret?: boolean;
  readonly problems?: readonly { readonly argument: string; readonly message: string }[];
}

/** What the plugin serves. */
export interface Provider {
  /** Returns the calls about resources, by kind. */
  hooksOf(process: ProviderProcess): Readonly<Record<string, ResourceHooks>>;
  invoke(session: Session, name: string, args: Properties, preview: boolean): Promise<Invoked> | undefined;
  /** Returns the package schema as JSON. */
  schema(): string;
}

const PREFIX = "cloudservices:index:";

/** Returns the calls of the protocol. */
export function serviceOf(served: Provider, engineAtStart: string | undefined) {
  const provider = new ProviderProcess();
  const hooksByKind = served.hooksOf(provider);
  let engine = engineAtStart;
  let configured: string | undefined;
  let place: SettingsPlace = "default provider";

  function session(): Session {
    if (provider.session) return provider.session;
    throw new ConfigurationError({
      code: "CONFIG_INVALID",
      summary: "the provider was called before it was configured",
    });
  }

  function hooksFor(urn: string): ResourceHooks {
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const kind = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : "";
    const hooks = Object.hasOwn(hooksByKind, kind) ? hooksByKind[kind] : undefined;
    if (hooks) return hooks;
    throw failure(
      grpc.status.NOT_FOUND,
      `pulumi-cloudservices ${VERSION} has no resource type "${type}"; if a newer version declared it, upgrade the package`,
    );
  }

  /** Runs one call, and passes on its error without secrets. */
  async function answer<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PartialFailure) throw cleaned(error);
      if (error instanceof Error) throw failure(grpc.status.UNKNOWN, provider.clean(textOf(error, place)));
      throw error;
    } finally {
      await provider.delivered();
    }
  }

  /** Returns the same failure with a message without secrets. */
  function cleaned(error: PartialFailure): PartialFailure {
    const clean = new PartialFailure(error.diagnostic, error.resourceId, error.outputs);
    clean.message = provider.clean(textOf(error, place));
    return clean;
  }

  /** Returns a failure without a property: the engine would print its value, which may be secret. */
  const rejection = (diagnostic: Diagnostic, at = place): CheckFailure => {
    const failed = new CheckFailure();
    failed.setReason(provider.clean(render(diagnostic, at)));
    return failed;
  };

  const existing = (request: {
    getId(): string;
    getUrn(): string;
    getOlds?(): StructOf;
    getProperties?(): StructOf;
    getOldInputs?(): StructOf;
    getInputs?(): StructOf;
  }) => ({
    id: request.getId(),
    urn: request.getUrn(),
    session: session(),
    outputs: fromStruct((request.getOlds ?? request.getProperties)?.call(request)),
    inputs: fromStruct((request.getOldInputs ?? request.getInputs)?.call(request)),
  });

  return {
    handshake: (request: messages.ProviderHandshakeRequest) => {
      engine = request.getEngineAddress() || engine;
      const response = new ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      return response;
    },

    // A plugin that is attached outlives a run, so each run configures it again.
    attach: (request: PluginAttach) => {
      engine = request.getAddress() || undefined;
      provider.close();
      configured = undefined;
      return new Empty();
    },

    getPluginInfo: () => {
      const response = new PluginInfo();
      response.setVersion(VERSION);
      return response;
    },

    getSchema: () => {
      const response = new GetSchemaResponse();
      response.setSchema(served.schema());
      return response;
    },

    checkConfig: (request: messages.CheckRequest) => {
      const news = fromStruct(request.getNews());
      const response = new CheckResponse();
      response.setInputs(toStruct(news));
      const at = placeOf(request.getUrn());
      const failures = checkSettings(at, received(news), process.env);
      response.setFailuresList(failures.map((each) => rejection(each, at)));
      return response;
    },

    // No setting replaces a provider: that would replace all of its resources.
    diffConfig: (request: messages.DiffRequest) => {
      const [olds, news] = [request.getOldInputs() ?? request.getOlds(), request.getNews()].map((values) =>
        JSON.stringify(received(fromStruct(values))),
      );
      const response = new DiffResponse();
      response.setChanges(
        olds === news ? DiffResponse.DiffChanges.DIFF_NONE : DiffResponse.DiffChanges.DIFF_SOME,
      );
      return response;
    },

    configure: (request: messages.ConfigureRequest) =>
      answer(() => {
        place = placeOf(request.getUrn() ?? "");
        const settings = settingsOf(place, received(fromStruct(request.getArgs())), process.env);
        const identity = JSON.stringify(settings);
        // The engine starts a process for each provider, except when it is attached to one.
        if (configured !== undefined && configured !== identity) {
          throw new ConfigurationError({
            code: "CONFIG_INVALID",
            summary: "this process of the plugin serves another provider, with other settings",
            cause: "one process serves one account.",
            fixes: [{ line: "let the engine start the plugin, without PULUMI_DEBUG_PROVIDERS" }],
          });
        }
        if (configured === undefined) provider.open(settings, engine);
        configured = identity;
        const response = new ConfigureResponse();
        response.setAcceptsecrets(true);
        response.setSupportspreview(true);
        return response;
      }),

    cancel: () => {
      provider.cancel();
      return new Empty();
    },

    invoke: (request: messages.InvokeRequest) =>
      answer(async () => {
        const name = request.getTok().slice(PREFIX.length);
        const args = received(fromStruct(request.getArgs()));
        const running = served.invoke(session(), name, args, request.getPreview());
        if (running === undefined)
          throw failure(grpc.status.NOT_FOUND, `there is no function "${request.getTok()}"`);
        const { result = {}, isSecret, problems = [] } = await running;
        const response = new InvokeResponse();
        const secrets = isSecret ? Object.keys(result) : [];
        response.setReturn(toStruct(withSecrets(representable(result), new Set(secrets))));
        response.setFailuresList(
          problems.map(({ argument, message }) => {
            const failed = new CheckFailure();
            failed.setProperty(argument);
            failed.setReason(provider.clean(message));
            return failed;
          }),
        );
        return response;
      }),

    check: (request: messages.CheckRequest) =>
      answer(() => {
        const urn = request.getUrn();
        const olds = fromStruct(request.getOlds());
        const news = fromStruct(request.getNews());
        const checked = hooksFor(urn).check({ urn, session: session(), olds, news });
        const response = new CheckResponse();
        response.setInputs(toStruct(checked.inputs));
        response.setFailuresList(checked.failures.map((each) => rejection(each)));
        return response;
      }),

    diff: (request: messages.DiffRequest) =>
      answer(() => {
        const subject = existing(request);
        const news = fromStruct(request.getNews());
        return toDiffResponse(hooksFor(subject.urn).diff({ ...subject, news }), subject.inputs, news);
      }),

    create: (request: messages.CreateRequest) =>
      answer(async () => {
        const urn = request.getUrn();
        const call = { urn, session: session(), news: fromStruct(request.getProperties()) };
        const response = new CreateResponse();
        if (request.getPreview()) {
          response.setProperties(toStruct(hooksFor(urn).previewCreate(call)));
          return response;
        }
        const { id, outputs } = await hooksFor(urn).create({ ...call, timeout: request.getTimeout() });
        response.setId(id);
        response.setProperties(toStruct(outputs));
        return response;
      }),

    read: (request: messages.ReadRequest) =>
      answer(async () => {
        const subject = existing(request);
        const response = new ReadResponse();
        // The engine sends inputs with a refresh and with `get`.
        const found = await hooksFor(subject.urn).read({ ...subject, isImport: !request.hasInputs() });
        if (found === undefined) return response;
        response.setId(found.id);
        response.setProperties(toStruct(found.outputs));
        if (found.inputs) response.setInputs(toStruct(found.inputs));
        return response;
      }),

    update: (request: messages.UpdateRequest) =>
      answer(async () => {
        const call = { ...existing(request), news: fromStruct(request.getNews()) };
        const hooks = hooksFor(call.urn);
        const outputs = request.getPreview()
          ? hooks.previewUpdate(call)
          : await hooks.update({ ...call, timeout: request.getTimeout() });
        const response = new UpdateResponse();
        response.setProperties(toStruct(outputs));
        return response;
      }),

    delete: (request: messages.DeleteRequest) =>
      answer(async () => {
        const call = { ...existing(request), timeout: request.getTimeout() };
        await hooksFor(call.urn).delete(call);
        return new Empty();
      }),
  };
}

type StructOf = Parameters<typeof fromStruct>[0];

const failure = (code: number, message: string): CallFailure => ({ code, message });

import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type { Any as AnyMessage } from "google-protobuf/google/protobuf/any_pb";
import type { Empty as EmptyMessage } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../definition/properties.js";

/*
 * The copies of gRPC and protobuf that `@pulumi/pulumi` uses: with other copies, its messages would not be recognised.
 */

const ofPulumi = createRequire(createRequire(__filename).resolve("@pulumi/pulumi/package.json"));

export const grpc: typeof Grpc = ofPulumi("@grpc/grpc-js");

export const { Any }: { Any: typeof AnyMessage } = ofPulumi("google-protobuf/google/protobuf/any_pb.js");

export const { Empty }: { Empty: typeof EmptyMessage } = ofPulumi(
  "google-protobuf/google/protobuf/empty_pb.js",
);

const { Struct }: { Struct: typeof StructMessage } = ofPulumi("google-protobuf/google/protobuf/struct_pb.js");

/** Returns properties as a message. Their values are what JSON can represent. */
export const toStruct = (values: Properties): StructMessage =>
  Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));

/** Returns the properties in a message. */
export const fromStruct = (message: StructMessage | undefined): Properties => message?.toJavaScript() ?? {};

import type { ServiceError } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { PartialFailure, textOf } from "../../diagnostics/errors.js";
import { Any, grpc, toStruct } from "../grpc.js";

/** An error with a code of gRPC. */
export interface CallFailure {
  readonly code: number;
  readonly message: string;
}

const isCallFailure = (error: unknown): error is CallFailure =>
  typeof error === "object" &&
  error !== null &&
  !(error instanceof Error) &&
  "code" in error &&
  "message" in error;

/** Returns an error as the engine expects it. A resource that exists and is not ready carries its id and outputs. */
export function toServiceError(error: unknown): Partial<ServiceError> {
  if (isCallFailure(error)) return { code: error.code, details: error.message };
  if (error instanceof PartialFailure) return partial(error);
  return { code: grpc.status.UNKNOWN, details: textOf(error) };
}

/** The trailer in which gRPC sends structured details. */
const DETAILS = "grpc-status-details-bin";

function partial(error: PartialFailure): Partial<ServiceError> {
  const failure = new ErrorResourceInitFailed();
  failure.setId(error.resourceId);
  failure.setProperties(toStruct({ ...error.outputs }));
  failure.setReasonsList([error.message]);
  const detail = new Any();
  detail.pack(failure.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status();
  status.setCode(grpc.status.UNKNOWN);
  status.setMessage(error.message);
  status.addDetails(detail);
  const metadata = new grpc.Metadata();
  metadata.add(DETAILS, Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details: error.message, metadata };
}

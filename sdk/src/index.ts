export * from "./catalogue.js";
export { CloudServices, connect } from "./client.js";
export type { Api } from "./core/api.js";
export { type ApiKey, type ApiKeyProblem, apiKeyProblem } from "./core/api-key.js";
export type { ApiPromise, ApiResponse, Meta } from "./core/api-promise.js";
export { type BaseUrl, type BaseUrlProblem, parseBaseUrl } from "./core/base-url.js";
export type { CallLimits } from "./core/deadline.js";
export * from "./core/errors.js";
export type { Fetch, FetchInit } from "./core/fetch-transport.js";
export type { Logger, LogLevel } from "./core/log.js";
export type { Basis } from "./core/operation.js";
export type { ListMeta, ListPromise, Page } from "./core/pages.js";
export type { Method } from "./core/request.js";
export type { RequestOptions } from "./core/request-options.js";
export type { ClientOptions } from "./core/settings.js";
export type { Integer, Listed, OpenText } from "./core/shapes.js";
export type { Poll, WaitOptions } from "./core/wait-options.js";
export {
  type EventSignatureHeaders,
  type SignTestEventOptions,
  signTestEvent,
} from "./event-signature.js";
export {
  type Backup,
  type BackupCompletedEvent,
  type BackupFailedEvent,
  type CloudServicesEvent,
  type EventHeaders,
  type OtherEvent,
  type ReceiveOptions,
  receiveEvent,
  type SnapshotCompletedEvent,
  type VerifyOptions,
  verifyEvent,
} from "./events.js";
export { type OperationInfo, operations } from "./operations.js";
export type { BackupSchedule, BackupScheduleInput } from "./resources/backup-schedules.js";
export {
  type Database,
  type DatabaseCreateInput,
  type DatabaseStatus,
  Databases,
  type DatabaseUpdateInput,
  type ListedDatabase,
  type ReadyDatabase,
} from "./resources/databases.js";
export type { ListInput } from "./resources/fields.js";
export {
  type CountryClicks,
  type DeviceClicks,
  type Link,
  type LinkAnalytics,
  type LinkAnalyticsInput,
  type LinkCreateInput,
  type LinkQrInput,
  Links,
  type LinkUpdateInput,
  type ListedLink,
  type ReferrerClicks,
} from "./resources/links.js";
export {
  type Inbox,
  type InboxCreateInput,
  type ListedInbox,
  Mail,
  type Message,
  type MessageSummary,
  type ReceivedMessage,
} from "./resources/mail.js";
export type { MessageCursor, WaitForMessageOptions } from "./resources/new-message.js";
export {
  type AutonomousSystem,
  type DnsAnswer,
  type DnsLookupInput,
  type DnsQuestion,
  type DnsRecord,
  type DnsRecordType,
  type IpInfo,
  type RelayInput,
  type RelayResponse,
  Utils,
} from "./resources/utils.js";
export {
  Vps,
  type VpsCreateInput,
  type VpsUpdateInput,
} from "./resources/vps.js";
export type {
  ListedVpsInstance,
  ReadyVpsInstance,
  VpsAction,
  VpsActionResponse,
  VpsInstance,
  VpsSpecs,
  VpsStatus,
} from "./resources/vps-actions.js";
export {
  type UnlistedEvent,
  unlistedEvent,
  type Webhook,
  type WebhookCreateInput,
  Webhooks,
  type WebhookUpdateInput,
} from "./resources/webhooks.js";

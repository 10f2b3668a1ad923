import { estimateCost } from "./cost.js";
import type { AnyFunction } from "./define-function.js";
import { getLinkAnalytics, getLinkQrCode, getLinks } from "./links.js";
import {
  getBackupSchedule,
  getDatabase,
  getDatabases,
  getInboxes,
  getLink,
  getVpsInstance,
  getVpsInstances,
  getWebhooks,
} from "./lookups.js";
import { getMessage, getMessages, waitForMessage } from "./mail.js";
import { getIpInfo, lookupDns } from "./network.js";

/** All functions, by name. */
export const functions: Readonly<Record<string, AnyFunction>> = {
  estimateCost,
  getBackupSchedule,
  getDatabase,
  getDatabases,
  getInboxes,
  getIpInfo,
  getLink,
  getLinkAnalytics,
  getLinkQrCode,
  getLinks,
  getMessage,
  getMessages,
  getVpsInstance,
  getVpsInstances,
  getWebhooks,
  lookupDns,
  waitForMessage,
};

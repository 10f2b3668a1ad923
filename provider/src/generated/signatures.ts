// Made from the definitions in resources/ and functions/ by npm run schema. Not edited by hand.

export const kinds = {
  "BackupSchedule": {
    "name": "BackupSchedule",
    "inputs": [
      "databaseId",
      "frequency",
      "hourUtc",
      "retentionDays",
      "notifyOnComplete"
    ],
    "outputs": [],
    "secrets": []
  },
  "Database": {
    "name": "Database",
    "inputs": [
      "name",
      "engine",
      "version",
      "plan",
      "region",
      "enableConnectionPool",
      "vpcId"
    ],
    "outputs": [
      "status",
      "host",
      "port",
      "database",
      "username",
      "password",
      "connectionUri",
      "poolUri",
      "sslRequired",
      "vcpus",
      "ramGb",
      "storageGb",
      "maxConnections",
      "backupRetentionDays"
    ],
    "secrets": [
      "password",
      "connectionUri",
      "poolUri"
    ]
  },
  "Inbox": {
    "name": "Inbox",
    "inputs": [
      "prefix",
      "domain",
      "ttlMinutes",
      "webhookUrl",
      "renewExpired"
    ],
    "outputs": [
      "emailAddress",
      "expiresAt",
      "messageCount",
      "createdAt",
      "expired"
    ],
    "secrets": []
  },
  "Link": {
    "name": "Link",
    "inputs": [
      "url",
      "domain",
      "slug",
      "title",
      "expiresAt",
      "passcode",
      "utmSource"
    ],
    "outputs": [
      "shortUrl",
      "qrCodeUrl",
      "clicksCount",
      "createdAt",
      "expired"
    ],
    "secrets": [
      "passcode"
    ]
  },
  "VpsAction": {
    "name": "VpsAction",
    "inputs": [
      "instanceId",
      "action",
      "triggers"
    ],
    "outputs": [],
    "secrets": []
  },
  "VpsInstance": {
    "name": "VpsInstance",
    "inputs": [
      "name",
      "plan",
      "region",
      "image",
      "sshKeys",
      "backupsEnabled",
      "userData",
      "powerState",
      "allowStopping",
      "replaceOnUserDataChange"
    ],
    "outputs": [
      "status",
      "ipv4",
      "ipv6",
      "vcpus",
      "ramMb",
      "diskGb",
      "bandwidthTb",
      "createdAt",
      "monthlyPriceUsd",
      "hourlyPriceUsd"
    ],
    "secrets": [
      "userData"
    ]
  },
  "Webhook": {
    "name": "Webhook",
    "inputs": [
      "url",
      "events",
      "secret"
    ],
    "outputs": [
      "createdAt"
    ],
    "secrets": [
      "secret"
    ]
  }
} as const;

export const functions = {
  "estimateCost": {
    "name": "estimateCost"
  },
  "getBackupSchedule": {
    "name": "getBackupSchedule"
  },
  "getDatabase": {
    "name": "getDatabase",
    "secret": true
  },
  "getDatabases": {
    "name": "getDatabases",
    "result": "databases"
  },
  "getInboxes": {
    "name": "getInboxes",
    "result": "inboxes"
  },
  "getIpInfo": {
    "name": "getIpInfo"
  },
  "getLink": {
    "name": "getLink"
  },
  "getLinkAnalytics": {
    "name": "getLinkAnalytics"
  },
  "getLinkQrCode": {
    "name": "getLinkQrCode",
    "result": "svg"
  },
  "getLinks": {
    "name": "getLinks",
    "result": "links"
  },
  "getMessage": {
    "name": "getMessage",
    "secret": true
  },
  "getMessages": {
    "name": "getMessages",
    "result": "messages",
    "secret": true
  },
  "getVpsInstance": {
    "name": "getVpsInstance"
  },
  "getVpsInstances": {
    "name": "getVpsInstances",
    "result": "instances"
  },
  "getWebhooks": {
    "name": "getWebhooks",
    "result": "webhooks"
  },
  "lookupDns": {
    "name": "lookupDns"
  },
  "waitForMessage": {
    "name": "waitForMessage",
    "secret": true
  }
} as const;

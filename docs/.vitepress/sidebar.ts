import type { DefaultTheme } from "vitepress";

const page = (text: string, path: string) => ({ text, link: `/${path}` });

/** The contents of the site, in the order in which a newcomer needs them. */
export const sidebar = (): DefaultTheme.SidebarItem[] => [
  {
    text: "Getting started",
    items: [
      page("What it is", ""),
      page("Quickstart", "repository/README"),
      page("Examples", "repository/examples/README"),
      page("Installing", "installing"),
      page("The native plugin", "native"),
      page("Python, YAML and Go", "languages"),
    ],
  },
  {
    text: "Resources",
    items: [
      page("Overview", "resources"),
      page("Link", "resources/link"),
      page("Database", "resources/database"),
      page("BackupSchedule", "resources/backup-schedule"),
      page("VpsInstance", "resources/vps-instance"),
      page("VpsAction", "resources/vps-action"),
      page("Inbox", "resources/inbox"),
      page("Webhook", "resources/webhook"),
    ],
  },
  { text: "Functions", items: [page("Reading data", "functions")] },
  {
    text: "How-to guides",
    items: [
      page("Overview", "guides"),
      page("Keep secrets", "guides/secrets"),
      page("Find and correct drift", "guides/drift"),
      page("Rename a resource", "guides/renaming"),
      page("Move between stacks", "guides/moving"),
      page("Keep a resource", "guides/keeping"),
      page("Run several environments", "guides/environments"),
      page("Upgrade", "guides/upgrading"),
      page("Take over an account", "adopting"),
      page("Replace your own provider", "guides/migrating"),
      page("Test a program", "testing"),
      page("Run a pipeline", "pipelines"),
      page("Share the state", "shared-state"),
    ],
  },
  { text: "SDK", items: [page("The typed client", "sdk"), page("Reference", "sdk-reference/")] },
  { text: "Sandbox", items: [page("The service on your machine", "sandbox")] },
  {
    text: "Reference",
    items: [
      page("Errors and troubleshooting", "troubleshooting"),
      page("Configuration", "configuration"),
      page("Documented and assumed", "api-coverage"),
      page("Compatibility", "compatibility"),
      page("Performance", "performance"),
      page("Changes", "repository/CHANGELOG"),
    ],
  },
  {
    text: "Internals",
    items: [
      page("Contributing", "repository/CONTRIBUTING"),
      page("Architecture", "architecture"),
      page("Adding a kind", "adding-a-kind"),
      page("Failure model", "failure-model"),
      page("The engine", "engine"),
      page("Decisions", "repository/docs/decisions/"),
    ],
  },
];

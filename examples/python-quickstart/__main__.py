import pulumi
import pulumi_cloudservices as cloudservices

config = pulumi.Config()
region = "eu-central-1"

# A server, and a short link to it with a passcode.
web = cloudservices.VpsInstance("web", plan="vps-micro-1", region=region, image="debian-12")
home = cloudservices.Link(
    "home",
    url=pulumi.Output.format("http://{0}/", web.ipv4),
    title="Home",
    passcode=config.require_secret("passcode"),
)

# A database, a nightly backup, and a notification about each backup.
orders = cloudservices.Database(
    "orders", engine="postgresql", version="16", plan="db-starter-1", region=region
)
cloudservices.BackupSchedule(
    "nightly",
    database_id=orders.id,
    frequency="daily",
    hour_utc=3,
    retention_days=7,
    notify_on_complete=True,
)
cloudservices.Webhook(
    "backups",
    url="https://hooks.example.com/backups",
    events=["database.backup.completed", "database.backup.failed"],
    secret=config.require_secret("webhookSecret"),
)

# An inbox that sends each new mail to a URL.
signup = cloudservices.Inbox(
    "signup", ttl_minutes=1440, webhook_url="https://hooks.example.com/mail"
)

pulumi.export("shortUrl", home.short_url)
pulumi.export("serverAddress", web.ipv4)
pulumi.export("databaseHost", orders.host)
pulumi.export("databaseUri", orders.connection_uri)
pulumi.export("inboxId", signup.id)
pulumi.export("inboxAddress", signup.email_address)

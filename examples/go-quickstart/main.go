package main

import (
	"github.com/cloudservices/pulumi-cloudservices/languages/go/cloudservices"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

const region = "eu-central-1"

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")

		// A server, and a short link to it with a passcode.
		web, err := cloudservices.NewVpsInstance(ctx, "web", &cloudservices.VpsInstanceArgs{
			Plan:   pulumi.String("vps-micro-1"),
			Region: pulumi.String(region),
			Image:  pulumi.String("debian-12"),
		})
		if err != nil {
			return err
		}
		home, err := cloudservices.NewLink(ctx, "home", &cloudservices.LinkArgs{
			Url:      pulumi.Sprintf("http://%s/", web.Ipv4),
			Title:    pulumi.String("Home"),
			Passcode: settings.RequireSecret("passcode"),
		})
		if err != nil {
			return err
		}

		// A database, a nightly backup, and a notification about each backup.
		orders, err := cloudservices.NewDatabase(ctx, "orders", &cloudservices.DatabaseArgs{
			Engine:  pulumi.String("postgresql"),
			Version: pulumi.String("16"),
			Plan:    pulumi.String("db-starter-1"),
			Region:  pulumi.String(region),
		})
		if err != nil {
			return err
		}
		_, err = cloudservices.NewBackupSchedule(ctx, "nightly", &cloudservices.BackupScheduleArgs{
			DatabaseId:       orders.ID(),
			Frequency:        pulumi.String("daily"),
			HourUtc:          pulumi.Int(3),
			RetentionDays:    pulumi.Int(7),
			NotifyOnComplete: pulumi.Bool(true),
		})
		if err != nil {
			return err
		}
		_, err = cloudservices.NewWebhook(ctx, "backups", &cloudservices.WebhookArgs{
			Url:    pulumi.String("https://hooks.example.com/backups"),
			Events: pulumi.StringArray{pulumi.String("database.backup.completed"), pulumi.String("database.backup.failed")},
			Secret: settings.RequireSecret("webhookSecret"),
		})
		if err != nil {
			return err
		}

		// An inbox that sends each new mail to a URL.
		signup, err := cloudservices.NewInbox(ctx, "signup", &cloudservices.InboxArgs{
			TtlMinutes: pulumi.Int(1440),
			WebhookUrl: pulumi.String("https://hooks.example.com/mail"),
		})
		if err != nil {
			return err
		}

		ctx.Export("shortUrl", home.ShortUrl)
		ctx.Export("serverAddress", web.Ipv4)
		ctx.Export("databaseHost", orders.Host)
		ctx.Export("databaseUri", orders.ConnectionUri)
		ctx.Export("inboxId", signup.ID())
		ctx.Export("inboxAddress", signup.EmailAddress)
		return nil
	})
}

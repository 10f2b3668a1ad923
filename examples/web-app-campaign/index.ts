import * as pulumi from "@pulumi/pulumi";
import { Link } from "pulumi-cloudservices";

// The stack of the same name in the project web-app: dev reads dev, prod reads prod.
const app = new pulumi.StackReference(`${pulumi.getOrganization()}/web-app/${pulumi.getStack()}`);

const spring = new Link("spring", {
  url: pulumi.interpolate`${app.requireOutput("url")}spring`,
  domain: app.requireOutput("linkDomain"),
  slug: "spring",
  utmSource: "newsletter",
});

export const shortUrl = spring.shortUrl;

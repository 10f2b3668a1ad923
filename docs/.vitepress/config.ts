import { defineConfig } from "vitepress";
import { siteImage, siteLink, UNSEARCHED, writeRepositoryPages } from "./repository.js";
import { sidebar } from "./sidebar.js";
import { omitEmptyHeaders } from "./tables.js";

/** Anchors as repositories show them, so that a link works on the site and in the repository. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");

export default () => {
  writeRepositoryPages();
  return defineConfig({
    title: "pulumi-cloudservices",
    description: "Infrastructure as code for the Cloud Services Developer API",
    lang: "en",
    outDir: "../.local/docs",
    cacheDir: "../.local/docs-cache",
    // The index of the search is one file.
    vite: { build: { chunkSizeWarningLimit: 2_000 } },
    rewrites: (id) => id.replace(/^generated\//, ""),
    markdown: {
      anchor: { slugify },
      // An address in the text of a rule is an example.
      linkify: false,
      // The default themes have too little contrast.
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
      config: (md) => {
        omitEmptyHeaders(md);
        md.core.ruler.push("repository-links", ({ tokens, env }) => {
          for (const token of tokens.flatMap(({ children }) => children ?? [])) {
            const href = token.type === "link_open" && token.attrGet("href");
            if (href) token.attrSet("href", siteLink(href, env.relativePath));
            const src = token.type === "image" && token.attrGet("src");
            if (src) token.attrSet("src", siteImage(src, env.relativePath));
          }
        });
      },
    },
    themeConfig: {
      search: {
        provider: "local",
        options: {
          // The pages of the documentation before those of single types.
          miniSearch: {
            searchOptions: {
              boostDocument: (id: string) => (/\/sdk-reference\//.test(id) ? 0.2 : 1),
            },
          },
          // The index needs no colours.
          _render: (text, env, md) =>
            text.startsWith(UNSEARCHED) ? "" : md.set({ highlight: null }).render(text, env),
        },
      },
      outline: [2, 3],
      sidebar: sidebar(),
      nav: [
        { text: "Quickstart", link: "/repository/README" },
        { text: "Resources", link: "/resources" },
        { text: "Troubleshooting", link: "/troubleshooting" },
      ],
    },
  });
};

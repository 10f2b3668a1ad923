// The hooks of the provider that does nothing.
const { randomUUID } = require("node:crypto");

const outputsOf = ({ __provider, ...inputs }, id) => ({
  ...inputs,
  clicksCount: 0,
  createdAt: new Date().toISOString(),
  domain: "127.0.0.1:41725",
  expired: false,
  qrCodeUrl: `http://127.0.0.1:41725/v1/shortener/links/${id}/qr.svg`,
  shortUrl: `http://127.0.0.1:41725/${inputs.slug}`,
});

module.exports = {
  check: async (olds, news) => ({
    inputs: { ...news, slug: olds.slug ?? randomUUID().slice(0, 6) },
    failures: [],
  }),
  diff: async () => ({}),
  create: async (inputs) => {
    const id = `link_${randomUUID().slice(0, 17)}`;
    return { id, outs: outputsOf(inputs, id) };
  },
  read: async (id, props) => ({ id, props }),
  update: async (id, _olds, news) => ({ outs: outputsOf(news, id) }),
  delete: async () => {},
};

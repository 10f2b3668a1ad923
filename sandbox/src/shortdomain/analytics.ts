import type { Rows } from "../state/rows.js";

interface Analytics {
  total_clicks: number;
  unique_visitors: number;
  referrers: Array<{ source: string; clicks: number }>;
  countries: Array<{ country_code: string; name: string; clicks: number }>;
  devices: { mobile: number; desktop: number; tablet: number };
}

/** Specification: "Link analytics". Visits to this machine have no country, so none is ever told. */
export function analyticsOf(clicks: ReadonlyArray<Rows["clicks"]>, since: number): Analytics {
  const counted = clicks.filter((click) => click.at >= since);
  const sources = new Map<string, number>();
  const devices = { mobile: 0, desktop: 0, tablet: 0 };
  for (const click of counted) {
    sources.set(click.source, (sources.get(click.source) ?? 0) + 1);
    devices[click.device] += 1;
  }
  return {
    total_clicks: counted.length,
    unique_visitors: new Set(counted.map((click) => click.visitor)).size,
    referrers: [...sources]
      .map(([source, number]) => ({ source, clicks: number }))
      .sort((a, b) => b.clicks - a.clicks || a.source.localeCompare(b.source)),
    countries: [],
    devices,
  };
}

import type { Rows } from "../../state/rows.js";

interface Analytics {
  total_clicks: number;
  unique_visitors: number;
  referrers: Array<{ source: string; clicks: number }>;
  countries: Array<{ country_code: string; name: string; clicks: number }>;
  devices: { mobile: number; desktop: number; tablet: number };
}

/** Specification: "Link analytics". Visits from unknown countries count in none. */
export function computeAnalytics(clicks: ReadonlyArray<Rows["clicks"]>, since: number): Analytics {
  const counted = clicks.filter((click) => click.at >= since);
  const sources = new Map<string, number>();
  const countries = new Map<string, { name: string; clicks: number }>();
  const devices = { mobile: 0, desktop: 0, tablet: 0 };
  for (const click of counted) {
    sources.set(click.source, (sources.get(click.source) ?? 0) + 1);
    devices[click.device] += 1;
    if (!click.country) continue;
    const { code, name } = click.country;
    countries.set(code, { name, clicks: (countries.get(code)?.clicks ?? 0) + 1 });
  }
  return {
    total_clicks: counted.length,
    unique_visitors: new Set(counted.map((click) => click.visitor)).size,
    referrers: [...sources]
      .map(([source, number]) => ({ source, clicks: number }))
      .sort((a, b) => b.clicks - a.clicks || a.source.localeCompare(b.source)),
    countries: [...countries]
      .map(([country_code, { name, clicks: number }]) => ({ country_code, name, clicks: number }))
      .sort((a, b) => b.clicks - a.clicks || a.country_code.localeCompare(b.country_code)),
    devices,
  };
}

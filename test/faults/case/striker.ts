import type { InjectedFault } from "../evidence/evidence.js";
import type { Exchange } from "../evidence/service.js";
import type { ChosenFault, Service } from "../service/service.js";
import type { Case, FaultAt } from "./case.js";

/** Decides which fault of the case strikes a request. */
export class Striker {
  readonly #case: Case;
  readonly #service: Service;
  readonly #struck = new Map<FaultAt, number[]>();
  #brokenFrom = Number.POSITIVE_INFINITY;
  #brokenTo = Number.POSITIVE_INFINITY;

  constructor(given: Case, service: Service) {
    this.#case = given;
    this.#service = service;
  }

  /** The broken command starts. */
  begin(): void {
    this.#brokenFrom = this.#service.exchanges.length;
    this.#brokenTo = Number.POSITIVE_INFINITY;
  }

  /** The broken command has ended. */
  end(): void {
    this.#brokenTo = this.#service.exchanges.length;
  }

  choose(exchange: Exchange): ChosenFault | undefined {
    const inBroken = exchange.index >= this.#brokenFrom && exchange.index < this.#brokenTo;
    for (const strike of this.#case.strikes) {
      const { fault, seen } = strike;
      if (fault.span !== "always" && !inBroken) continue;
      const struck = this.#struck.get(strike) ?? [];
      if (fault.span === "once" && struck.length > 0) continue;
      if (fault.span !== "always" && !this.#hasReached(strike, exchange)) continue;
      const isRoute = exchange.method === seen.method && exchange.route === seen.route;
      if ((fault.span === "once" || fault.span === "every") && !isRoute) continue;
      this.#struck.set(strike, [...struck, exchange.index]);
      return { name: fault.name, strike: fault.strike };
    }
    return inBroken ? this.#case.chaos?.choose(exchange) : undefined;
  }

  /** Returns the case's faults as evidence. `phase` is the index of the broken phase. */
  injected(phase: number): InjectedFault[] {
    return this.#case.strikes.map((strike) => {
      const { name, class: of, span, when } = strike.fault;
      const { index, method, route } = strike.seen;
      const request = { index, method, route };
      return { name, class: of, span, when, phase, request, struck: this.#struck.get(strike) ?? [] };
    });
  }

  /** Whether the target request is this one or an earlier one. */
  #hasReached({ seen }: FaultAt, exchange: Exchange): boolean {
    const alike = this.#service.exchanges
      .slice(this.#brokenFrom, exchange.index + 1)
      .filter(({ method, route }) => method === seen.method && route === seen.route);
    return alike.length > seen.occurrence;
  }
}

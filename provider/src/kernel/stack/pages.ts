import { BadRequestError, type ListPromise, type Page } from "cloudservices-sdk";

/** The most items of a page that services commonly allow; the specification does not document the limit. */
export const PAGE = 100;

/** How long listed resources stay fresh, in milliseconds. */
export const FRESH = 60_000;

/** Lists a kind. */
export type List<R> = (page: { limit?: number }) => ListPromise<R>;

/** One kind's list. Requests large pages until the service rejects a request with their size. */
export class Pages<R> {
  #page: { limit?: number } = { limit: PAGE };

  constructor(private readonly list: List<R>) {}

  /**
   * Lists page by page. After a rejected request it starts again, so pages may repeat.
   *
   * @throws the sdk's errors, also for a list that does not end.
   */
  async *walk(): AsyncGenerator<Page<R>, void> {
    const page = this.#page;
    try {
      yield* this.list(page).pages();
    } catch (error) {
      yield* this.#withoutLimit(page, error).pages();
    }
  }

  /**
   * Returns every item once, even when items shift to other pages meanwhile.
   *
   * @throws the sdk's errors, also for a list that does not end.
   */
  async all(): Promise<readonly R[]> {
    const page = this.#page;
    try {
      return await this.list(page).toArray();
    } catch (error) {
      return await this.#withoutLimit(page, error).toArray();
    }
  }

  /** Returns the list with the service's own page size, if the size of the rejected request may be the reason. */
  #withoutLimit({ limit }: { limit?: number }, error: unknown): ListPromise<R> {
    if (!(error instanceof BadRequestError) || limit === undefined) throw error;
    this.#page = {};
    return this.list(this.#page);
  }
}

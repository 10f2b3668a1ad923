import { BadRequestError, type ListPromise, type Page } from "cloudservices-sdk";

/** The most items of a page that services commonly allow; the specification does not document the limit. */
export const PAGE = 100;

/** Lists a kind. */
export type List<R> = (page: { limit?: number }) => ListPromise<R>;

/** The pages of one kind's list. Asks for large pages until the service rejects their size. */
export class Pages<R> {
  #page: { limit?: number } = { limit: PAGE };

  constructor(private readonly list: List<R>) {}

  /**
   * Lists from the first page to the last.
   *
   * @throws the sdk's errors, also for a list that does not end.
   */
  async *walk(): AsyncGenerator<Page<R>, void> {
    const page = this.#page;
    let isFirst = true;
    try {
      for await (const each of this.list(page).pages()) {
        isFirst = false;
        yield each;
      }
    } catch (error) {
      if (!(error instanceof BadRequestError) || page.limit === undefined || !isFirst) throw error;
      this.#page = {};
      yield* this.list(this.#page).pages();
    }
  }
}

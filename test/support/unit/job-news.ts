import type { JobTree } from '../../../libs/elastic-job/src/coordination/index.js';
import type { JobNews, News, NewsEmitter } from '../../../libs/elastic-job/src/runtime/news/job-news.js';

type Hearing = { readonly [Kind in JobNews['kind']]?: (news: News<Kind>) => void };

/** A feed whose news a test hears, and those duties that it names. */
export class HeardNews implements NewsEmitter {
  private readonly hearings: Hearing[] = [];
  private readonly duties: object[] = [];

  on(hearing: Hearing): void {
    this.hearings.push(hearing);
  }

  onBehalfOf(duty: object): void {
    this.duties.push(duty);
  }

  emit<Kind extends JobNews['kind']>(news: News<Kind>): void {
    for (const hearing of this.hearings) hearing[news.kind]?.(news);
    for (const duty of this.duties) hear(duty, news);
  }
}

/** Sends the events of the tree to a duty, as long as `isListening`. */
export function hearTree(tree: JobTree, duty: object, isListening = () => true): void {
  tree.on((event) => isListening() && hear(duty, event));
}

/** Calls the method of a duty that is named after the kind of the news, if it has one. */
function hear(duty: object, news: JobNews): void {
  const method: unknown = Reflect.get(duty, methodOf(news.kind));
  if (typeof method === 'function') Reflect.apply(method, duty, [news]);
}

/** Name of the method of a duty that hears news of a kind. */
export function methodOf(kind: JobNews['kind']): string {
  return kind.charAt(0).toLowerCase() + kind.slice(1);
}

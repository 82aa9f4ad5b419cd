import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { MINI_SEARCH } from './search.js';

/** Questions of new users by the index of their language, each with the pages of which one must be found first. */
const QUESTIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  root: {
    'what is a token for': ['concepts/token', 'faq'],
    'why did my cron not change': ['faq'],
    'how long until a crash is noticed': ['faq', 'production/session-timeout'],
    'how do I stop one item': ['faq', 'concepts/item'],
    'how do I move from Spring Boot': ['faq', 'migrate/elasticjob-3'],
    'what does refused: foreign mean': ['faq'],
    misfirePolicy: ['reference/options'],
    SESSION_LOST: ['reference/errors'],
    ELASTIC_JOB_SERVERS: ['reference/environment'],
    'wechat.webhook': ['reference/error-handlers'],
  },
  zh: {
    令牌有什么用: ['zh/concepts/token', 'zh/faq'],
    '为什么我的 cron 没有变': ['zh/faq'],
    崩溃多久才会被发现: ['zh/faq', 'zh/production/session-timeout'],
    怎样停掉一个分片项: ['zh/faq', 'zh/concepts/item'],
    '如何从 Spring Boot 迁移': ['zh/faq', 'zh/migrate/elasticjob-3'],
    'refused: foreign 是什么意思': ['zh/faq'],
  },
};

/** Questions that the search of a built site answers by another page first, each as `question: page`. */
export async function findUnanswered(site: string): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(QUESTIONS).map(async ([language, questions]) => {
      const index = await indexOf(site, language);
      return Object.entries(questions).flatMap(([question, pages]) => {
        const [first] = index.search(question);
        const page = /^\/(.*)\.html/.exec(String(first?.id))?.[1] ?? 'nothing';
        return pages.includes(page) ? [] : [`${question}: ${page}`];
      });
    }),
  );
  return found.flat();
}

/** The index that the site's pages load. */
async function indexOf(site: string, language: string): Promise<MiniSearch> {
  const folder = `${site}/assets/chunks`;
  const file = readdirSync(folder).find((name) => name.startsWith(`@localSearchIndex${language}.`));
  if (file === undefined) throw new TypeError(`The site has no search index of ${language}.`);
  const loaded: { default: string } = await import(pathToFileURL(`${folder}/${file}`).href);
  return MiniSearch.loadJSON(loaded.default, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    ...MINI_SEARCH.options,
    searchOptions: MINI_SEARCH.searchOptions,
  });
}

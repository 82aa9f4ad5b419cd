/** Questions of new users, each with the pages of which the search must show one first. */
export const QUESTIONS: Readonly<Record<'/' | '/zh/', Readonly<Record<string, readonly string[]>>>> = {
  '/': {
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
  '/zh/': {
    令牌有什么用: ['zh/concepts/token', 'zh/faq'],
    '为什么我的 cron 没有变': ['zh/faq'],
    崩溃多久才会被发现: ['zh/faq', 'zh/production/session-timeout'],
    怎样停掉一个分片项: ['zh/faq', 'zh/concepts/item'],
    '如何从 Spring Boot 迁移': ['zh/faq', 'zh/migrate/elasticjob-3'],
    'refused: foreign 是什么意思': ['zh/faq'],
  },
};

import type { HeadConfig, PageData } from 'vitepress';

/** Tags that are the same on each page. */
export const HEAD: HeadConfig[] = [
  ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
  ['meta', { name: 'theme-color', content: '#fbfbfc', media: '(prefers-color-scheme: light)' }],
  ['meta', { name: 'theme-color', content: '#0c0d10', media: '(prefers-color-scheme: dark)' }],
];

/**
 * Tags from which chats and social networks make the card of a link.
 * @param address of the site, such as `https://jobs.example.org`; some of them want it in front of the picture
 */
export function cardOf(
  { title, relativePath }: Pick<PageData, 'title' | 'relativePath'>,
  description: string,
  address = '',
): HeadConfig[] {
  const tags = {
    'og:type': 'website',
    'og:site_name': 'nestjs-elastic-job',
    'og:title': title,
    'og:description': description,
    'og:locale': relativePath.startsWith('zh/') ? 'zh_CN' : 'en',
    'og:image': `${address}/card.png`,
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'Three instances run the items of a job. One is killed, and another one runs its item again.',
    ...(address === ''
      ? {}
      : { 'og:url': `${address}/${relativePath.replace(/(index)?\.md$/, (_, index) => (index ? '' : '.html'))}` }),
  };
  const card = Object.entries(tags).map(([property, content]): HeadConfig => ['meta', { property, content }]);
  return [...card, ['meta', { name: 'twitter:card', content: 'summary_large_image' }]];
}

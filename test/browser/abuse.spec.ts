import { createServer } from 'node:http';
import { ElasticJob } from '@app/elastic-job';
import { listen } from '@test/support/zookeeper/loopback.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plantHostileNodes } from '../console/support/hostile-tree.js';
import { endSession, openTab, SOON, useBrowser, viewIsWhole } from './support/browsing.js';
import { JOBS, PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>';
/** Turns the order of what is read after it, and hides a character. */
const BIDI = 'pay \u202egro.knab\u202c \u200bnow';

/** Jobs whose texts were written by somebody who wants the page to do or to say something else. */
class HostileJobs {
  @ElasticJob({ name: 'a-markup', description: `[${MARKUP}] x`, cron: '0 0 2 * * ?', shardingTotalCount: 1 })
  markup(): void {}

  @ElasticJob({ name: 'b-bidi', description: `[${BIDI}] x`, cron: '0 0 2 * * ?', shardingTotalCount: 1 })
  bidi(): void {}

  @ElasticJob({
    name: 'c-link',
    description: '[javascript:document.title=1] x',
    cron: '0 0 2 * * ?',
    shardingTotalCount: 1,
  })
  link(): void {}
}

/** The numbers are those of the list of abuse cases. Those of the log-in (A01, A03, A08) are in `log-in.spec.ts`. */
describe('the page, against somebody who', () => {
  it('writes markup and scripts into the registry: shows them as text (A12)', async () => {
    const { ask, url } = await servePage({ providers: [...JOBS, HostileJobs] });
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: MARKUP } });
    const page = await browsing.visit(url, { as: PEOPLE.admin });
    await page.getByRole('region', { name: 'Who changed what' }).getByText(MARKUP).waitFor();
    await page.getByRole('region', { name: 'Needs attention' }).getByText(MARKUP).waitFor();

    await page.goto(`${url}jobs`);
    await page
      .getByRole('row', { name: /a-markup/ })
      .getByText(MARKUP)
      .waitFor();

    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Jobs · Elastic Job');
  });

  it('turns the order of characters, or hides some: shows the codes of these (A12)', async () => {
    const { ask, url } = await servePage({ providers: [...JOBS, HostileJobs] });
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: `a\u2066b` } });
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });

    const label = page.getByRole('row', { name: /b-bidi/ }).getByText('pay');
    expect(await label.textContent()).toBe('pay U+202Egro.knabU+202C U+200Bnow');
    expect(await label.evaluate((element) => element.tagName)).toBe('BDI');

    await page.goto(url);
    await page.getByRole('region', { name: 'Who changed what' }).getByText('aU+2066b').waitFor();
  });

  it('writes a link that is a script: shows no such link (A12)', async () => {
    const { url } = await servePage({ providers: [...JOBS, HostileJobs] });
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });
    await page.getByRole('row', { name: /c-link/ }).waitFor();

    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));

    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((href) => !href.startsWith('/elastic-job/'))).toEqual([]);
  });

  it('writes nodes that nobody can read: shows the other jobs, and these as what they are (A21)', async () => {
    const { app, url } = await servePage();
    await plantHostileNodes(app);
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });

    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /binary/ }).textContent(), SOON).toContain('Unreadable');
    await page.goto(url);
    await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'binary' }).first().waitFor();
  });

  it('shows the console in a frame: the browser shows nothing (A24)', async () => {
    const { url } = await servePage();
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<title>prizes</title><iframe src="${url}"></iframe>`);
    });
    onTestFinished(() => void evil.close());
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await context.newPage();
    const refused = context.waitForEvent('console', (message) =>
      /frame-ancestors|X-Frame-Options/i.test(message.text()),
    );

    await page.goto(`http://127.0.0.1:${await listen(evil)}/`);

    await refused;
    expect(await page.frames()[1]?.locator('#page').count()).toBe(0);
    expect(browsing.takeFaults()).toContainEqual(expect.stringMatching(/frame/i));
  });

  it('opens the console from a page of his: cannot reach into it (A24)', async () => {
    const { url } = await servePage();
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<a target="_blank" rel="opener" href="${url}">prizes</a>`);
    });
    onTestFinished(() => void evil.close());
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${await listen(evil)}/`);

    const [opened] = await Promise.all([context.waitForEvent('page'), page.getByText('prizes').click()]);

    await opened.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await opened.evaluate('window.opener')).toBeNull();
    expect(browsing.takeFaults()).toEqual([expect.stringMatching(/^asks .*:\d+\/$/)]);
  });

  it('writes odd names into links: shows that there is no such job, asks nothing else (A09, A14, A23)', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    const names = ['%2e%2e%2f%2e%2e%2fpackage.json', '..%5c..%5cetc', '%00', '<script>alert(1)<%2fscript>'];

    for (const name of [...names, 'x%0d%0aset-cookie:%20a=b', '__proto__']) {
      const answer = await page.goto(`${url}jobs/${name}`);
      if (answer?.status() === 200) await page.locator('main .look').waitFor();
      expect([name, await page.locator('main script').count()]).toEqual([name, 0]);
    }

    expect(asked.filter((path) => !path.startsWith('/elastic-job/'))).toEqual([]);
    expect(await context.cookies()).toHaveLength(1);
  });

  it('has the jobs of a prefix alone: finds no other one in any view, nor by its address (A05)', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-9' } });
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.scoped });
    await page.getByText('1 of 1').waitFor();

    for (const view of ['', 'jobs', 'jobs?q=settle', 'servers', 'audit', 'jobs/billing-run', 'jobs/billing-run/tree']) {
      await page.goto(url + view);
      await viewIsWhole(page);
      expect([view, await page.locator('body').textContent()]).toEqual([
        view,
        expect.not.stringMatching(/settle-orders|ledger-close|INC-9/),
      ]);
    }
    await page.goto(`${url}jobs/settle-orders`);
    await page.getByText('There is no such job').waitFor();
  });

  it('ends a line in a reason: it stays one line, and one entry (A14)', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs/settle-orders`, { as: PEOPLE.operator });
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByLabel('Reason').focus();
    await page.evaluate(`document.execCommand('insertText', false, 'INC-1\\r\\nada enabled settle-orders')`);
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The job is disabled.').waitFor();

    const { items } = (await ask('GET', '/audit?job=settle-orders')).json;
    expect(items).toHaveLength(1);
    expect(items[0].reason).toMatch(/^INC-1.*ada enabled settle-orders$/);
  });

  it('sits down at the browser after the log-out: the way back shows no job (A23)', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });
    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
    await page.goto(`${url}session`);
    await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();

    await page.goBack();

    await page.getByLabel('Password').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('settle-orders');
  });

  it('writes wrong filters into a link: shows the list without them', async () => {
    const { url } = await servePage();
    const query = new URLSearchParams({ sort: '__proto__', status: 'constructor', attention: '<b>', q: '\u202e' });

    const page = await browsing.visit(`${url}jobs?${String(query)}`, { as: PEOPLE.admin });

    await page.getByText('No job matches').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('3 of 3').waitFor();
    expect(page.url()).toBe(`${url}jobs`);
  });

  it('gets script into the page by a mistake of it: the policy keeps that from running (A24)', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.admin });
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();

    const became = await page.evaluate(`(() => {
      const attempt = (run) => {
        try {
          run();
          return 'done';
        } catch (error) {
          return error.name;
        }
      };
      return {
        html: attempt(() => (document.body.innerHTML = '<b>x</b>')),
        policy: attempt(() => trustedTypes.createPolicy('own', {})),
        url: attempt(() => (document.createElement('script').src = 'https://evil.example/x.js')),
      };
    })()`);

    expect(became).toEqual({ html: 'TypeError', policy: 'TypeError', url: 'TypeError' });
    const told: string[] = [];
    await expect
      .poll(() => told.push(...browsing.takeFaults()) && told.join('\n'), SOON)
      .toMatch(/CSP require-trusted-types-for[^]*CSP trusted-types[^]*CSP require-trusted-types-for/);
  });

  it('may look only, and sends a change from the page all the same: is refused (A04)', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.viewer });
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();

    const status = await page.evaluate(`fetch('/elastic-job/api/v1/jobs/settle-orders/disable', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
    }).then(({ status }) => status)`);

    expect(status).toBe(403);
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ status: 'OK' });
  });

  it('has the browser of an admin send a form, or JSON, from another page: changes nothing (A06)', async () => {
    const { ask, url } = await servePage();
    const action = `${url}api/v1/jobs/settle-orders/disable`;
    const evil = createServer((_, response) => {
      const field = `<input name='{"reason":"' value='"}'>`;
      const form = `<form method="post" enctype="text/plain" action="${action}">${field}<button>prizes</button></form>`;
      response.setHeader('content-type', 'text/html').end(form);
    });
    onTestFinished(() => void evil.close());
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${await listen(evil)}/`);

    const asked: unknown = await page.evaluate(`fetch('${action}', {
      method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}',
    }).then(() => 'answered', () => 'refused')`);
    const [answer] = await Promise.all([page.waitForResponse(action), page.getByText('prizes').click()]);

    browsing.takeFaults();
    expect([asked, answer.status()]).toEqual(['refused', 415]);
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ status: 'OK' });
  });

  it('has the cookie of a session: may do nothing with it after the log-out (A07)', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.admin, width: 390 });
    const stolen = await page.context().cookies();
    expect(stolen).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByLabel('Name').waitFor();

    const thief = await browsing.visitor(url);
    await thief.addCookies(stolen);

    await (await openTab(thief, url)).getByLabel('Name').waitFor();
  });

  it('has set the cookie before the log-in: it is another one afterwards (A07)', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const [fixed] = await context.cookies();
    await endSession(context, url);
    const page = await openTab(context, url);
    await page.getByLabel('Name').fill(PEOPLE.admin.name);
    await page.getByLabel('Password').fill(PEOPLE.admin.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();

    const [own] = await context.cookies();
    expect(own?.name).toBe(fixed?.name);
    expect(own?.value).not.toBe(fixed?.value);
  });

  it('looks at what the browser keeps: there are choices of looks alone (A20)', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.admin });
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();

    const kept = await page.evaluate(
      '({ cookie: document.cookie, local: { ...localStorage }, session: { ...sessionStorage } })',
    );

    expect(kept).toEqual({ cookie: '', local: { 'elastic-job-console:theme': 'dark' }, session: {} });
  });
});

describe('the page, where', () => {
  it('the browser has neither locks nor UUIDs, as over plain HTTP: is live all the same', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    await context.addInitScript(
      'delete Crypto.prototype.randomUUID; delete Navigator.prototype.locks; delete Navigator.prototype.clipboard;',
    );

    const page = await openTab(context, url);

    await page.locator('.bar').getByText('Live').waitFor();
    expect(await page.getByRole('heading', { name: 'Needs attention' }).count()).toBe(1);
  });

  it('somebody else logs in in another tab: is not that of the one before once it has the focus', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const first = await openTab(context, `${url}jobs/settle-orders`);
    await first.getByRole('button', { name: 'Run now' }).waitFor();
    await endSession(context, url);
    const second = await openTab(context, url);
    await second.getByLabel('Name').fill(PEOPLE.viewer.name);
    await second.getByLabel('Password').fill(PEOPLE.viewer.password);
    await second.getByRole('button', { name: 'Log in' }).click();
    await second.getByRole('heading', { name: 'Needs attention' }).waitFor();

    // Chromium without a screen gives each tab the focus at all times.
    await first.evaluate("dispatchEvent(new Event('focus'))");

    await first.locator('.me').getByText(PEOPLE.viewer.name).waitFor();
    await first.getByRole('heading', { name: 'settle-orders' }).waitFor();
    expect(await first.getByRole('button', { name: 'Run now' }).count()).toBe(0);
  });

  it('the session is ended in another tab: asks for the log-in once it has the focus', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await openTab(context, `${url}session`);
    await page.getByRole('heading', { name: 'Session' }).first().waitFor({ state: 'attached' });
    await endSession(context, url);

    await page.evaluate("dispatchEvent(new Event('focus'))");

    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Session' }).count()).toBe(1);
  });

  it('nobody looks at a tab that was opened behind another one: has no stream after a minute', async () => {
    const { streams, url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    await context.addInitScript("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })");
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(url);
    await expect.poll(streams, SOON).toBe(1);

    await page.clock.fastForward(61_000);

    await expect.poll(streams, SOON).toBe(0);
  });

  it.each([-1, 1])('the clock of the device is off by %i days: tells ages by that of the server', async (days) => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-1' } });
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    await context.addInitScript(`{
      const device = Date.now;
      Date.now = () => device() + ${days} * 86_400_000;
    }`);

    const page = await openTab(context, url);

    await page
      .getByRole('region', { name: 'Needs attention' })
      .getByText(/^since [1-9]\d? s$/)
      .waitFor();
    expect(await page.getByText(/since \d+ d/).count()).toBe(0);
  });

  it('a part of the page fails: goes on with the next view', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    const page = await context.newPage();
    // As a newer release may answer a page that was loaded before it.
    await page.route(/\/api\/v1\/jobs\?/, async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      await route.fulfill({
        json: { ...json, items: json.items.map((row: object) => ({ ...row, attention: ['new'] })) },
      });
    });
    await page.goto(`${url}jobs`);
    await page.getByText('This part of the page has failed').waitFor();

    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Overview/ })
      .click();

    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(browsing.takeFaults()).toContainEqual(expect.stringContaining('TypeError'));
  });

  it('the browser would translate: is not, since what it has translated no longer changes', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.admin });

    expect(await page.locator('html').getAttribute('translate')).toBe('no');
  });
});

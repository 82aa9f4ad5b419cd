/** A request of an operator to the API of the console. */
interface Deed {
  readonly by: Operator;
  readonly path: string;
  readonly body: { readonly reason: string } & Readonly<Record<string, unknown>>;
}

/** People of the demo, by whom the audit has its first entries. */
export const OPERATORS = ['mei', 'night-shift'] as const;
export type Operator = (typeof OPERATORS)[number];

const invoices = (tenant: string): Deed => ({
  by: 'mei',
  path: '/jobs',
  body: {
    name: `invoices-${tenant}`,
    template: 'tenant-invoices',
    settings: {
      description: `[finance] Sends the invoices of ${tenant}`,
      cron: '25/30 * * * * ?',
      shardingTotalCount: 2,
      props: { tenant },
    },
    reason: `OPS-902: ${tenant} is a customer now`,
  },
});

const DEEDS: readonly Deed[] = [
  invoices('acme'),
  invoices('globex'),
  {
    by: 'night-shift',
    path: '/jobs/supplier-import/disable',
    body: { reason: 'INC-4182: the supplier sends empty files. Ask Mei before you enable it.' },
  },
  {
    by: 'mei',
    path: '/jobs/cart-reminders/items/2/disable',
    body: { reason: 'OPS-911: French customers were reminded twice' },
  },
  {
    by: 'night-shift',
    path: '/jobs/rebuild-recommendations/trigger',
    body: { reason: 'OPS-913: the model has changed' },
  },
];

/**
 * Does what the operators have done before somebody looks.
 * @param api address of the API of the console
 * @throws an error that names a deed which the console has refused
 */
export async function doDeeds(api: string, tokenOf: (by: Operator) => string): Promise<void> {
  for (const { by, path, body } of DEEDS) {
    const answer = await fetch(api + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(by)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} was refused: ${await answer.text()}`);
  }
}

import { expect, it } from 'vitest';
import { OpenHandles } from './index.js';

it('given handles of which one cannot be stopped, when all are stopped, then the last goes first, and the failure is told', async () => {
  const handles = new OpenHandles();
  const stopped: string[] = [];
  const handle = (name: string) => ({ stop: async () => void stopped.push(name) });
  await handles.add(handle('server'));
  await handles.add({ stop: () => Promise.reject(new Error('stuck')) });
  await handles.add(Promise.resolve(handle('client')));

  await expect(handles.stopAll()).rejects.toThrow('1 of the started could not be stopped.');
  expect(stopped).toEqual(['client', 'server']);
  await handles.stopAll();
  expect(stopped).toHaveLength(2);
});

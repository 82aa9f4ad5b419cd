import { expect, it } from 'vitest';
import { OpenHandles } from './index.js';

it('stops the last handle first and all others, and reports a failure', async () => {
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

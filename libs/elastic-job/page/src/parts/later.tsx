import type { ComponentChildren } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../text/index.js';
import { Loading, Look } from './looks.js';

type View<Props> = (props: Props) => ComponentChildren;

/**
 * A view whose code is loaded once it is shown. Code that cannot be had is told as such: after a new release of the
 * console its old files are gone, and the page has to be loaded anew.
 */
export function later<Props extends object>(load: () => Promise<View<Props>>): View<Props> {
  let loaded: View<Props> | undefined;
  return function Later(props: Props) {
    const [isMissing, setMissing] = useState(false);
    const [, update] = useState(0);
    useEffect(() => {
      let isLeft = false;
      const open = async () => {
        loaded = await load();
        if (!isLeft) update(1);
      };
      if (loaded === undefined) open().catch(() => !isLeft && setMissing(true));
      return () => void (isLeft = true);
    }, []);
    if (loaded !== undefined) return h(loaded, props);
    if (!isMissing) return <Loading lines={6} />;
    const { notLoaded, notLoadedMore, reload } = texts.value.looks;
    return (
      <Look title={notLoaded} more={notLoadedMore} action={{ name: reload, run: () => location.reload() }} isAlert />
    );
  };
}

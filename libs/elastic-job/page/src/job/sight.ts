/** The part of a map that is in sight, measured anew at most once a frame. */
import { useLayoutEffect, useState } from 'preact/hooks';

const STEP = 64;

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Width of the first column, which stays in sight. */
  readonly label: number;
}

/** Within a step nothing is drawn anew: some columns and rows beyond those in sight are there. */
function stepOf(scroll: number): number {
  return Math.floor(scroll / STEP) * STEP;
}

function isSame(a: Sight, b: Sight): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height && a.label === b.label;
}

/** @param scroller has the class `map` */
export function useSight(scroller: { readonly current: HTMLDivElement | null }): Sight {
  const [sight, setSight] = useState<Sight>({ x: 0, y: 0, width: 0, height: 0, label: 0 });
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    let frame = 0;
    const look = () => {
      frame = 0;
      const { clientHeight, clientWidth, scrollLeft, scrollTop } = current;
      const label = current.querySelector<HTMLElement>('.map-head .who')?.offsetWidth ?? 0;
      const next = { x: stepOf(scrollLeft), y: stepOf(scrollTop), width: clientWidth, height: clientHeight, label };
      setSight((before) => (isSame(before, next) ? before : next));
    };
    const lookSoon = () => (frame ||= requestAnimationFrame(look));
    look();
    const observer = new ResizeObserver(lookSoon);
    observer.observe(current);
    current.addEventListener('scroll', lookSoon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      current.removeEventListener('scroll', lookSoon);
    };
  }, []);
  return sight;
}

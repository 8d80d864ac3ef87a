// What may be larger than its place and scrolls there: where it does, the keyboard can reach it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface ScrollingProps {
  /** What is in it, for whoever comes to it by keyboard. */
  name: string;
  class?: string;
  children: ComponentChildren;
}

export function Scrolling({ name, class: className = "scroll", children }: ScrollingProps) {
  const element = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const place = element.current;
    if (place === null) return;
    const look = () =>
      setScrolls(place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight);
    const observer = new ResizeObserver(look);
    observer.observe(place);
    for (const child of place.children) observer.observe(child);
    return () => observer.disconnect();
  }, [children]);
  const region = scrolls ? { tabIndex: 0, role: "region" as const, "aria-label": name } : {};
  return (
    <div ref={element} class={className} {...region}>
      {children}
    </div>
  );
}

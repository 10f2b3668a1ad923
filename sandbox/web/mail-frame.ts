import { el } from "./dom.js";

/** A longer mail scrolls in its frame. */
const MAX_HEIGHT_PX = 20_000;

/**
 * Shows a mail as high as its content, in a frame in which nothing can run or load. The frame has this page's origin,
 * so that its content can be measured; without scripts, forms and requests, a mail cannot use that.
 */
export function mailFrame(id: string, subject: string): HTMLElement {
  const frame = el("iframe", {
    sandbox: "allow-same-origin",
    src: `/_sandbox/messages/${id}.html`,
    title: `Mail: ${subject}`,
  });
  let width = 0;
  const fit = () => {
    const content = frame.contentDocument?.scrollingElement;
    if (!content) return;
    // Content is never lower than its frame, so it is measured in one without height.
    frame.style.height = "0";
    const bars = frame.offsetHeight - frame.clientHeight;
    const scrollbar = content.scrollWidth > content.clientWidth ? 16 : 0;
    frame.style.height = `${Math.min(content.scrollHeight + bars + scrollbar, MAX_HEIGHT_PX)}px`;
  };
  frame.addEventListener("load", fit);
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    fit();
  }).observe(frame);
  return frame;
}
